struct SandboxSignInCall {
    let request: HTTPRequest
    let path: String
    let date: Date
    let route: SandboxSignInRoute
    let query: SandboxForm
    let form: SandboxForm
    let trace: SandboxSignInError.Trace
    let origin: String

    init(_ call: SandboxCall, _ route: SandboxSignInRoute, _ trace: SandboxSignInError.Trace) throws(SandboxError) {
        request = call.request
        path = call.target.path
        date = call.date
        self.route = route
        query = SandboxForm(call.target.query)
        form = try SandboxForm(call.request)
        self.trace = trace
        origin = Self.origin(of: call.request)
    }

    var parameters: SandboxForm { request.method == "POST" ? form : query }

    var issuer: String { "\(origin)/\(SandboxTenant.id)/v2.0" }

    var session: String? {
        for field in request.headers.values(of: "Cookie") {
            for pair in field.split(separator: ";") {
                let parts = pair.trimmed.split(separator: "=", maxSplits: 1)
                if parts.count == 2, parts[0] == SandboxSignIn.cookie { return String(parts[1]) }
            }
        }
        return nil
    }

    func required(_ name: String) throws(SandboxSignInError) -> String {
        guard let value = parameters[name] else { throw .missing(name) }
        return value
    }

    func claims() throws(SandboxSignInError) -> Value? {
        guard let text = parameters["claims"] else { return nil }
        let data = Data(text.utf8)
        guard !SandboxBodySchema.isTooDeep(data), let claims = try? Value(json: data), claims.object != nil else {
            throw .malformed("The 'claims' parameter is not a JSON object.")
        }
        return claims
    }

    /// A proxy that terminates TLS in front of the sandbox sets this header; addresses must be the proxy's.
    private static func origin(of request: HTTPRequest) -> String {
        let isSecure = request.headers["X-Forwarded-Proto"]?.lowercased() == "https"
        let scheme = isSecure ? "https" : request.url.scheme ?? "https"
        let host = HostName(request.url.host() ?? "localhost")
        return "\(scheme)://\(host)\(request.url.port.map { ":\($0)" } ?? "")"
    }
}
