package struct GraphRequest: Sendable {
    package var operation: String
    package var effect: Idempotency
    /// The permissions that the user states; nil for those in Graph's reference.
    package var permissions: Permissions?
    package var method: String
    package var path: GraphPath
    /// An absolute address from the service, such as a next page's; nil to use the path.
    package var address: URL?
    package var service: GraphService
    package var headers: HTTPHeaders
    package var body: ByteSource?
    /// In bytes; nil for the transport's limit.
    package var maximumResponseSize: Int?
    /// Where a larger answer is stored; nil if it is an error.
    package var storage: HTTPOperation.Storage?
    package var example: HTTPResponse
    /// What it does to people and things; empty if it only reads, or is a part of another request's effect.
    package var consequences: [Effect] = []
    /// How to find what it created if the answer was lost, and whether what is found can be that; nil if nothing is named.
    package var lookup: (request: @Sendable () -> GraphRequest, accepts: @Sendable (Value) -> Bool)?
    /// Where a plan can look up the object that it would replace, change or delete, if possible.
    package var replaced: URL?
    /// What to check if its outcome is unknown: `Look for the message … in Sent Items`.
    package var check: String

    package init(
        _ operation: String, _ effect: Idempotency, _ method: String, _ path: GraphPath,
        headers: HTTPHeaders = [:], body: Data? = nil, example: HTTPResponse, check: String = ""
    ) {
        self.operation = operation
        self.effect = effect
        self.method = method
        self.path = path
        service = GraphService(path)
        self.headers = headers
        self.body = body.map { .memory($0) }
        self.example = example
        self.check = check
    }

    /// This request with the permissions of the one whose outcome it looks up, so no other token is requested.
    /// - Parameters:
    ///   - method: That request's method.
    ///   - path: Its path.
    func lookingUp(_ method: String, _ path: GraphPath) -> GraphRequest {
        var request = self
        request.permissions = GraphClient.permissions(of: method, path: "\(path)")
        return request
    }
}

extension HTTPResponse {
    static func json(_ status: Int, _ value: Value) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: value.jsonData())
    }
}
