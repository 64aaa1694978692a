public import Foundation

/// A request as it will go over the wire.
public struct HTTPRequest: Sendable, Hashable {
    /// The method, in upper case: `GET`, `PUT`, `POST`.
    public var method: String
    /// The absolute address.
    public var url: URL
    /// The header fields, without those that the connection adds (`Host`, `Content-Length`).
    public var headers: HTTPHeaders
    /// The body; nil for a request without one, empty for one of length 0.
    public var body: Data?

    /// Creates a request.
    public init(_ method: String, _ url: URL, headers: HTTPHeaders = [:], body: Data? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}
