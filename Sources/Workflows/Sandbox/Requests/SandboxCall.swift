struct SandboxCall {
    let request: HTTPRequest
    let target: SandboxTarget
    let date: Date
    /// The body if the resource accepts JSON; an error if it does not match Graph's description.
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

    var token: String? {
        let words = (request.headers["Authorization"] ?? "").split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return String(words[1])
    }

    var identity: String {
        let body = request.body.map { SHA256.hex(of: $0) } ?? ""
        return "\(request.method) \(request.url.requestTarget) \(body)"
    }
}
