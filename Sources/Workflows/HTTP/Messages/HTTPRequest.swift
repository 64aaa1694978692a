/// A request as it is sent.
public struct HTTPRequest: Sendable, Hashable {
    /// The method, in upper case: `GET`, `PUT`, `POST`.
    public var method: String
    /// The absolute URL.
    public var url: URL
    /// The header fields, without those that the connection adds (`Host`, `Content-Length`).
    public var headers: HTTPHeaders
    /// The body; nil for a request without one, empty for one of length 0.
    public var body: Data?
    package var file: FilePart?

    /// Creates a request.
    public init(_ method: String, _ url: URL, headers: HTTPHeaders = [:], body: Data? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    package var bodySize: Int { body?.count ?? file?.size ?? 0 }

    package func withBodyInMemory() throws(HTTPFailure) -> HTTPRequest {
        guard let file else { return self }
        var request = self
        do throws(SystemError) {
            request.body = try file.bytes()
        } catch {
            throw .unreadable(file, error, .notSent)
        }
        request.file = nil
        return request
    }
}

extension URL {
    package var requestTarget: String {
        let components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        let path = components?.percentEncodedPath ?? ""
        return (path.isEmpty ? "/" : path) + (components?.percentEncodedQuery.map { "?\($0)" } ?? "")
    }
}

extension HTTPRequest {
    /// The body for display; nil if there is none.
    ///
    /// JSON is indented, other text is shown in full; bytes are shown by content type, size and hash.
    public var bodyDescription: String? {
        guard let body else { return nil }
        let declared = headers["Content-Type"] ?? ""
        if ContentType.isJSON(declared), let value = try? Value(json: body) { return value.json(pretty: true) }
        let type = declared.isEmpty ? ContentType.sniff(body) : ContentType.essence(of: declared)
        if !body.isEmpty, ContentType.sniff(body) == "text/plain" { return String(decoding: body, as: UTF8.self) }
        return "\(type), \(body.count) bytes, sha256:\(SHA256.hex(of: body))"
    }
}
