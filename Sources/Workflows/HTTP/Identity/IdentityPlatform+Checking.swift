extension IdentityPlatform {
    /// Rejects with ``CredentialError`` if there is no such tenant.
    package func checkTenant() -> Promise<Void> {
        read(authority.discovery, for: "tenant").asVoid()
    }

    /// Reads a document that the platform publishes; rejected with ``CredentialError`` if it cannot be had.
    func read(_ address: URL, for step: String) -> Promise<IdentityAnswer> {
        send(HTTPRequest("GET", address), for: step).recover(on: nil) { error -> Promise<IdentityAnswer> in
            throw (error as? IdentityRefusal)?.credentialError() ?? unreachable(error)
        }
    }

    /// Rejects with ``CredentialError`` if the tenant has no such application, or if it allows no such redirect address.
    ///
    /// Asks for a sign-in without a page. It fails, because no browser is signed in; before that, the service complains
    /// about the application.
    package func checkApplication(_ client: String, redirectingTo address: String) -> Promise<Void> {
        var parts = URLComponents(url: authority.endpoint("authorize"), resolvingAgainstBaseURL: false)
        parts?.queryItems = [
            "client_id": client, "redirect_uri": address, "response_type": "code", "prompt": "none",
            "scope": "openid", "code_challenge_method": "S256",
            "code_challenge": Base64URL.encode(Data(randomBytes(32))),
        ].map { URLQueryItem(name: $0, value: $1) }.sorted { $0.name < $1.name }
        let url = parts?.url ?? authority.endpoint("authorize")
        let operation = HTTPOperation(name: "authorize", effect: .read, example: HTTPResponse(status: 302))
        return transport.send(HTTPRequest("GET", url), for: operation).recover(on: nil) { error in
            throw unreachable(error)
        }.map(on: nil) { response in
            if let refusal = Self.refusal(of: response) { throw refusal.credentialError() }
        }
    }

    /// What a page or a redirect complains about; nil for one that only lacks a signed-in user.
    private static func refusal(of response: HTTPResponse) -> IdentityRefusal? {
        let location = response.headers["Location"].flatMap { URLComponents(string: $0)?.queryItems } ?? []
        func field(_ name: String) -> String? { location.first { $0.name == name }?.value }
        if let error = field("error") {
            let refusal = IdentityRefusal(
                status: response.status, error: error, description: field("error_description"))
            return ["login_required", "interaction_required", "consent_required"].contains(error) ? nil : refusal
        }
        guard !(300..<400).contains(response.status) else { return nil }
        let page = String(decoding: response.body, as: UTF8.self)
        guard let found = page.firstMatch(of: #/AADSTS\d{4,9}[^<"\\]{0,300}/#) else { return nil }
        return IdentityRefusal(status: response.status, error: "invalid_request", description: String(found.output))
    }
}
