/// A server's response, with its whole body.
public struct HTTPResponse: Sendable, Hashable {
    /// The status code.
    public var status: Int
    /// The header fields.
    public var headers: HTTPHeaders
    /// The body; empty if there is none.
    public var body: Data
    /// The body instead of one in memory, if the operation has a ``HTTPOperation/storage``.
    package var file: FilePart?

    package var bodySize: Int { file?.size ?? body.count }

    /// Creates a response.
    public init(status: Int, headers: HTTPHeaders = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
