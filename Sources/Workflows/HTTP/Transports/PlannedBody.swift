/// The body of a planned request, as far as it is known before the run.
public enum PlannedBody: Sendable, Hashable {
    /// JSON, with its unknowns.
    case json(Value)
    /// A text, with its unknowns.
    case text(Value)
    /// Bytes, by type, size and SHA-256 in hexadecimal digits.
    case bytes(type: String, size: Int, sha256: String)
    /// Unknown bytes, by the unknown and the type.
    case unknown(Value, type: String)
}

extension PlannedBody {
    init?(_ request: HTTPRequest, _ unknowns: UnknownTokens) {
        guard let body = request.body else { return nil }
        let declared = request.headers["Content-Type"] ?? ""
        let isKnownType = !UnknownTokens.isIn(declared)
        if let example = unknowns.example(of: body) {
            self = .unknown(
                .unknown(example),
                type: isKnownType
                    ? ContentType.essence(of: declared)
                    : ContentType.sniff(body).hasPrefix("image/") ? "image" : "type not known")
        } else if ContentType.isJSON(declared), let value = try? Value(json: body) {
            self = .json(unknowns.marked(value))
        } else if !body.isEmpty, ContentType.sniff(body) == "text/plain" {
            self = .text(.text(unknowns.parts(request.redactedBody ?? body)))
        } else {
            let type = declared.isEmpty || !isKnownType ? ContentType.sniff(body) : ContentType.essence(of: declared)
            self = .bytes(type: type, size: body.count, sha256: SHA256.hex(of: body))
        }
    }

    package var drawn: String {
        switch self {
        case .json(let value): value.drawn().json()
        case .text(let text): text.drawn().string ?? ""
        case .bytes: ""
        case .unknown(let unknown, _): unknown.drawn().string ?? ""
        }
    }
}

extension PlannedBody: CustomStringConvertible {
    /// The body for display: JSON indented, text in full, bytes by type, size and hash.
    public var description: String {
        switch self {
        case .json(let value): value.drawn().describingBytes.json(pretty: true)
        case .text: drawn
        case .bytes(_, 0, _): "no content"
        case .bytes(let type, let size, let sha256): "\(type), \(size) bytes, sha256:\(sha256)"
        case .unknown(_, let type): "\(drawn), \(type), size not known"
        }
    }
}

extension Value {
    fileprivate var describingBytes: Value {
        switch self {
        case .string(let text):
            guard text.utf8.count > 200, let bytes = Data(base64Encoded: text) else { return self }
            return .string(
                "base64 of \(ContentType.sniff(bytes)), \(bytes.count) bytes, sha256:\(SHA256.hex(of: bytes))")
        case .array(let elements): return .array(elements.map(\.describingBytes))
        case .object(let members): return .object(Object(members.map { ($0.key, $0.value.describingBytes) }))
        case .null, .bool, .integer, .double, .marked: return self
        }
    }
}
