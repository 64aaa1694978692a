/// Where a file's ranges are sent: an address that needs no token, because knowing it grants access.
package struct UploadSession: Sendable {
    /// It must not be shown.
    let url: URL
    let start: Int
    /// By the service's clock; nil if the service did not say.
    let madeAt: Date?

    /// Refuses an address to which the file must not be sent.
    init(_ answer: Value, madeAt: Date?, base: URL) throws(GraphError) {
        guard let text = answer["uploadUrl"]?.string ?? answer["UploadUrl"]?.string else {
            throw GraphError(.badAnswer, message: "The answer describes no upload session: it has no 'uploadUrl'.")
        }
        guard let url = URL(string: text), let origin = Origin(url), url.user() == nil, url.password() == nil,
            origin.isPrivate, !origin.isLoopback || Origin(base)?.isLoopback == true
        else {
            // The complete address would let others write.
            let place = URL(string: text).flatMap { Origin($0)?.description } ?? "an invalid address"
            throw GraphError(.badAnswer, message: "The upload session is at \(place), where the file must not be sent.")
        }
        self.url = url
        self.madeAt = madeAt
        start = Self.nextByte(answer) ?? 0
    }

    /// The beginning of a session's address in a dry run, which makes it a valid address.
    package static let example = "https://upload.example/"

    static func exampleAddress(_ answer: UnknownTokens.Answer) -> String {
        "\(UploadSession.example)\(answer("uploadUrl", .text))"
    }

    /// The next expected byte, from `["26-"]`, `["12345-55232", "77829-"]` or `["2097152"]`; nil if the answer has
    /// none.
    static func nextByte(_ answer: Value) -> Int? {
        let ranges = answer["nextExpectedRanges"] ?? answer["NextExpectedRanges"]
        return (ranges?.array ?? []).compactMap { range in
            range.integer ?? (range.string?.prefix { $0 != "-" }).flatMap { Int($0) }
        }.filter { $0 >= 0 }.min()
    }
}
