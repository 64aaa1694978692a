import Foundation

extension HTTPRequest {
    /// The body as people read it; nil where there is none.
    ///
    /// JSON is indented, other text is given in full; bytes by content type, size and hash.
    public var bodyDescription: String? {
        guard let body else { return nil }
        let declared = headers["Content-Type"] ?? ""
        if ContentType.isJSON(declared), let value = try? Value(json: body) { return value.json(pretty: true) }
        let type = declared.isEmpty ? ContentType.sniff(body) : ContentType.essence(of: declared)
        if !body.isEmpty, ContentType.sniff(body) == "text/plain" { return String(decoding: body, as: UTF8.self) }
        return "\(type), \(body.count) bytes, sha256:\(SHA256.hex(of: body))"
    }
}
