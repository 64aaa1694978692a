import Foundation

/// One request with all that can be found out about it without the sandbox's state.
struct SandboxCall {
    let request: HTTPRequest
    let target: SandboxTarget
    let date: Date
    /// The body where the resource takes JSON; the error where it is not what Graph describes.
    let json: Result<Value, SandboxError>?
    let route: Result<SandboxRoute, SandboxError>

    init(_ request: HTTPRequest, at date: Date) throws(SandboxError) {
        self.request = request
        self.date = date
        target = try SandboxTarget(request.url)
        let segments = target.segments
        route = Result { () throws(SandboxError) in try SandboxRoute(segments) }
        let schema = (try? route.get())?.bodySchema(of: request.method)
        json = schema.map { schema in Result { () throws(SandboxError) in try schema.read(request) } }
    }

    var clientRequestID: String? { request.headers["client-request-id"] }

    /// The bearer token; nil where there is none.
    var token: String? {
        let words = (request.headers["Authorization"] ?? "").split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return String(words[1])
    }

    /// What tells one request from another, and is the same when it is sent again.
    var identity: String {
        let body = request.body.map { SHA256.hex(of: $0) } ?? ""
        return "\(request.method) \(request.url.requestTarget) \(body)"
    }
}
