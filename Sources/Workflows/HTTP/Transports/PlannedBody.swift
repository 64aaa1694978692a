import Foundation

/// The body of a planned request, as far as it is known before the run.
public enum PlannedBody: Sendable, Hashable {
    /// JSON; unknown bytes in it appear as unknowns.
    case json(Value)
    /// Text.
    case text(String)
    /// Bytes, by their type, size and SHA-256 in hexadecimal digits.
    case bytes(type: String, size: Int, sha256: String)
    /// Unknown bytes, by the unknown's name and type.
    case unknown(String, type: String)
}

extension PlannedBody {
    /// Reads a request's body; nil if there is none.
    init?(_ request: HTTPRequest) {
        guard let body = request.body else { return nil }
        let declared = request.headers["Content-Type"] ?? ""
        if let symbol = ExampleBytes.symbol(of: body) {
            self = .unknown(symbol, type: declared.contains("‹") ? "image" : ContentType.essence(of: declared))
        } else if ContentType.isJSON(declared), let value = try? Value(json: body) {
            self = .json(value.namingExampleBytes)
        } else if !body.isEmpty, ContentType.sniff(body) == "text/plain" {
            self = .text(String(decoding: request.redactedBody ?? body, as: UTF8.self))
        } else {
            let type = declared.isEmpty ? ContentType.sniff(body) : ContentType.essence(of: declared)
            self = .bytes(type: type, size: body.count, sha256: SHA256.hex(of: body))
        }
    }
}

extension PlannedBody: CustomStringConvertible {
    /// The body for display: JSON indented, text in full, bytes by type, size and hash.
    public var description: String {
        switch self {
        case .json(let value): value.describingBytes.json(pretty: true)
        case .text(let text): text
        case .bytes(_, 0, _): "no content"
        case .bytes(let type, let size, let sha256): "\(type), \(size) bytes, sha256:\(sha256)"
        case .unknown(let symbol, let type): "\(symbol), \(type), size not known"
        }
    }
}

extension Value {
    /// The value with long Base64 strings replaced by a description of their bytes.
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

    /// The value with Base64 of unknown bytes replaced by the unknown.
    fileprivate var namingExampleBytes: Value {
        switch self {
        case .string(let text): ExampleBytes.symbol(ofBase64: text).map { .string($0) } ?? self
        case .array(let elements): .array(elements.map(\.namingExampleBytes))
        case .object(let members): .object(Object(members.map { ($0.key, $0.value.namingExampleBytes) }))
        case .null, .bool, .integer, .double, .marked: self
        }
    }
}
