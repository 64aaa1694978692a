package import Essentials

/// One logical request to Microsoft Graph: what all its attempts have in common.
package struct GraphRequest: Sendable {
    /// The name of the function that sends it.
    package var operation: String
    /// Whether it changes anything, and whether it may be repeated.
    package var effect: Idempotency
    /// The permissions that it needs, where a user gives them; nil for those that Graph's reference names.
    package var permissions: Permissions?
    package var method: String
    /// The address after the service's base.
    package var path: GraphPath
    /// The absolute address that the service returned, such as that of a next page; nil to use the path.
    package var address: URL?
    /// Whose limits it counts against.
    package var service: GraphService
    /// Header fields in addition to those of every request.
    package var headers: HTTPHeaders
    package var body: ByteSource?
    /// The largest answer in bytes; nil for the transport's limit.
    package var maximumResponseSize: Int?
    /// What may be done with a larger answer; nil if it is an error.
    package var storage: HTTPOperation.Storage?
    /// The answer in a dry run.
    package var example: HTTPResponse
    /// What it does to people and things; none if it only reads, or is only a part of what another request does.
    package var consequences: [Effect] = []
    /// Where a plan can look what it would replace, change or delete; nil if there is no such address.
    package var replaced: URL?
    /// What to check if it is unknown whether it was done: `Look for the message … in Sent Items`.
    package var check: String

    /// Creates a request.
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
}

extension GraphRequest {
    /// The same request with the permissions of the one whose outcome it looks up, so that no other token is asked for.
    /// - Parameters:
    ///   - method: The method of that request.
    ///   - path: Its path.
    func lookingUp(_ method: String, _ path: GraphPath) -> GraphRequest {
        var request = self
        request.permissions = GraphClient.permissions(of: method, path: "\(path)")
        return request
    }
}

extension HTTPResponse {
    /// An answer in JSON.
    static func json(_ status: Int, _ value: Value) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: value.jsonData())
    }
}
