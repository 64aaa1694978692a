/// Decodes a body as the `Content-Encoding` of its head says (RFC 9110, section 8.4), while it arrives.
///
/// Not left to libcurl, which does not notice if the bytes end too early.
struct ContentDecoder {
    private let inflaters: [Inflater]

    var isEmpty: Bool { inflaters.isEmpty }
    /// Whether the body has ended where it may, or has not begun.
    var isWhole: Bool { inflaters.allSatisfy(\.isWhole) }

    init() { inflaters = [] }

    init(_ headers: HTTPHeaders) throws(HTTPMessageReader.Problem) {
        let codings = headers.values(of: "Content-Encoding").flatMap { $0.split(separator: ",") }
            .map { $0.trimmed.lowercased() }.filter { $0 != "identity" && !$0.isEmpty }
        inflaters = codings.reversed().compactMap { Inflater($0) }
        guard inflaters.count == codings.count, codings.count <= 5 else {
            throw .malformed(
                "the response is encoded as \(PlainText.line(codings.joined(separator: ", "), limit: 100))")
        }
    }

    /// Decodes the next bytes, and adds them to the body of a response, which may have so many bytes.
    /// - Returns: Why it did not: they are not what the head says, or are too many; nil if it did.
    func append(
        _ bytes: UnsafeRawBufferPointer, to response: inout HTTPResponse?, limit: Int
    ) -> HTTPMessageReader.Problem? {
        var isTooLarge = false
        let isRight = unsafe Self.append(bytes, inflaters[...]) { piece in
            isTooLarge = piece.count > limit - (response?.body.count ?? 0)
            if !isTooLarge { unsafe response?.body.append(contentsOf: piece) }
            return !isTooLarge
        }
        return isTooLarge
            ? .bodyTooLarge : isRight ? nil : .malformed("the response is not what its Content-Encoding says")
    }

    private static func append(
        _ bytes: UnsafeRawBufferPointer, _ inflaters: ArraySlice<Inflater>, _ take: (UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        guard let inflater = inflaters.first else { return unsafe take(bytes) }
        return unsafe inflater.append(bytes) { unsafe append($0, inflaters.dropFirst(), take) }
    }
}
