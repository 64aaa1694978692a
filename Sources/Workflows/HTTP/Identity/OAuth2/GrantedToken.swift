struct GrantedToken: Sendable {
    let token: Secret
    /// Nil if it is valid until it is refused.
    let lifetime: Duration?
    let refreshToken: Secret?

    /// Specification: RFC 6749, sections 5.1 and 5.2.
    /// - Parameters:
    ///   - response: The response.
    ///   - endpoint: Its sender, for messages.
    ///   - issuers: The accepted issuers; empty to accept any.
    init(_ response: HTTPResponse, from endpoint: URL, issuers: [String]) throws(AuthenticationFailure) {
        let server = "the authorization server at \(Origin(endpoint).map(\.description) ?? "its address")"
        let members = response.body.count > 1_000_000 ? nil : (try? Value(json: response.body))?.object
        guard (200..<300).contains(response.status) else {
            throw Self.failure(response.status, members, server)
        }
        guard let text = members?["access_token"]?.string, !text.isEmpty,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw .refused("\(server) answered without an access token") }
        let type = members?["token_type"]?.string?.lowercased() ?? "bearer"
        // An exchange may return a token of another type; a resource may still accept it.
        guard ["bearer", "n_a"].contains(type) else {
            throw .refused(
                "\(server) returned a token of type '\(PlainText.exact(type, limit: 50))', which is not supported")
        }
        token = Secret(text)
        let seconds = members?["expires_in"].flatMap { $0.double ?? $0.string.flatMap { Double($0) } }
        lifetime = seconds.flatMap { $0 > 0 && $0 < 1e9 ? .seconds($0) : nil }
        refreshToken = members?["refresh_token"]?.string.flatMap { $0.isEmpty ? nil : Secret($0) }
        guard !issuers.isEmpty, let claims = JSONWebToken.claims(of: token) else { return }
        guard let issuer = claims["iss"]?.string, issuers.contains(issuer) else {
            let name = claims["iss"]?.string.map { "'\(PlainText.exact($0, limit: 200))'" } ?? "nobody"
            throw .refused("\(server) returned a token issued by \(name), which is not one of the policy's issuers")
        }
    }

    private static func failure(_ status: Int, _ members: Object?, _ server: String) -> AuthenticationFailure {
        let code = members?["error"]?.string.map { PlainText.line($0, limit: 100) }
        let description = members?["error_description"]?.string.map { PlainText.line($0, limit: 500) }
        let reason = [code, description].compactMap(\.self).joined(separator: ": ")
        guard status < 500 || code != nil else { return .unreachable("\(server) answered with status \(status)") }
        if (300..<400).contains(status) {
            return .refused(
                "\(server) redirects a token request (\(status)), which is not followed: correct its address")
        }
        return .refused("\(server) refused to issue a token (\(status))\(reason.isEmpty ? "" : ": \(reason)")")
    }
}
