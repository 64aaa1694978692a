package import Foundation

/// One logical request to Microsoft Graph: what all attempts and replays have in common.
package struct GraphRequest: Sendable {
    /// The name of the function that sends it.
    package var operation: String
    /// What it does to the world.
    package var effect: Effect
    /// The least-privileged permissions that it needs.
    package var permissions: Permissions
    /// The method.
    package var method: String
    /// The address behind the service's base.
    package var path: GraphPath
    /// The absolute address that the service gave, such as that of a next page; nil where the path is the address.
    package var address: URL?
    /// Whose limits it counts against.
    package var service: GraphService
    /// Header fields besides those that every request has.
    package var headers: HTTPHeaders
    /// The body.
    package var body: Data?
    /// What a dry run is answered.
    package var example: HTTPResponse
    /// What it changes or sends, as people call it; nil where that says nothing.
    package var target: RequestTarget?
    /// What somebody has to look at when nobody knows whether it was done: `the Sent Items folder …`.
    package var check: String

    /// Creates a request.
    package init(
        _ operation: String, _ effect: Effect, _ permissions: Permissions, _ method: String, _ path: GraphPath,
        headers: HTTPHeaders = [:], body: Data? = nil, example: HTTPResponse, check: String = ""
    ) {
        self.operation = operation
        self.effect = effect
        self.permissions = permissions
        self.method = method
        self.path = path
        service = GraphService(path)
        self.headers = headers
        self.body = body
        self.example = example
        self.check = check
    }

    /// How long one attempt may take.
    var timeout: Duration { Self.timeout(forBody: body?.count ?? 0) }

    /// How long a request may take: what a small one gets, and a second for each 100 kB of the body.
    static func timeout(forBody size: Int) -> Duration { .seconds(100 + size / 100_000) }
}

extension HTTPResponse {
    /// An answer in JSON.
    static func json(_ status: Int, _ value: Value) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: value.jsonData())
    }
}
