/// The parameters of an access token request.
///
/// Specification: dsl-reference.md, "OAUTH2 Authentication" and "OpenIdConnect Authentication".
package struct OAuth2Settings: Sendable {
    package enum Grant: String, CaseIterable, Sendable {
        case clientCredentials = "client_credentials"
        case password
        case refreshToken = "refresh_token"
        case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    }

    package enum ClientAuthentication: String, CaseIterable, Sendable {
        case secretBasic = "client_secret_basic"
        case secretPost = "client_secret_post"
        case secretJWT = "client_secret_jwt"
        case privateKeyJWT = "private_key_jwt"
        case none
    }

    package enum Encoding: String, CaseIterable, Sendable {
        case form = "application/x-www-form-urlencoded"
        case json = "application/json"
    }

    package struct SecurityToken: Sendable {
        package var token: Secret
        var type: String
    }

    var authority: URL
    /// The path after the authority, or a complete URL; nil if it is discovered.
    var tokenPath: String?
    var grant: Grant
    var clientID: String?
    package var clientSecret: Secret?
    package var clientAssertion: Secret?
    var clientAuthentication = ClientAuthentication.secretPost
    var encoding = Encoding.form
    var issuers: [String] = []
    var scopes: [String] = []
    var audiences: [String] = []
    var username: String?
    package var password: Secret?
    package var subject: SecurityToken?
    package var actor: SecurityToken?

    /// The endpoint that the file names; nil if the authority is asked for it.
    func tokenEndpoint() throws(AuthenticationFailure) -> URL? {
        guard let tokenPath else { return nil }
        let isWhole = tokenPath.contains("://")
        let address = isWhole ? tokenPath : base + (tokenPath.hasPrefix("/") ? tokenPath : "/" + tokenPath)
        guard let url = try? HTTPAddress.url(address) else { throw .invalidEndpoint(address) }
        return url
    }

    var discoveryAddress: URL? { URL(string: base + Self.discoveryPath) }

    private static let discoveryPath = "/.well-known/openid-configuration"

    private var base: String {
        var text = authority.absoluteString
        if text.hasSuffix(Self.discoveryPath) { text.removeLast(Self.discoveryPath.count) }
        while text.hasSuffix("/") { text.removeLast() }
        return text
    }
}

extension OAuth2Settings {
    /// Reads the settings from a workflow's policy, with its secrets revealed.
    /// - Parameters:
    ///   - data: The properties of `oauth2` or `oidc`.
    ///   - isDiscovered: Whether the server's metadata provides its endpoints.
    package init(_ data: Value, isDiscovered: Bool) throws(AuthenticationFailure) {
        func text(_ value: Value?, _ name: String) throws(AuthenticationFailure) -> String? {
            guard let value, !value.isNull else { return nil }
            guard let text = value.string else { throw .configuration("'\(name)' must be a string") }
            return text
        }
        func texts(_ name: String) throws(AuthenticationFailure) -> [String] {
            guard let value = data[name], !value.isNull else { return [] }
            guard let texts = value.array?.map(\.string), !texts.contains(nil) else {
                throw .configuration("'\(name)' must be an array of strings")
            }
            return texts.compactMap(\.self)
        }
        func secret(_ value: Value?, _ name: String) throws(AuthenticationFailure) -> Secret? {
            try text(value, name).map { Secret($0) }
        }
        func choice<Choice: RawRepresentable>(
            _ value: Value?, _ name: String, _: Choice.Type
        ) throws(AuthenticationFailure) -> Choice? where Choice.RawValue == String {
            guard let text = try text(value, name) else { return nil }
            guard let choice = Choice(rawValue: text) else {
                throw .configuration("'\(name)' cannot be '\(PlainText.exact(text, limit: 100))'")
            }
            return choice
        }
        func token(_ name: String) throws(AuthenticationFailure) -> SecurityToken? {
            guard let value = data[name], !value.isNull else { return nil }
            guard let token = try secret(value["token"], "\(name).token"),
                let type = try text(value["type"], "\(name).type")
            else { throw .configuration("'\(name)' needs a 'token' and its 'type'") }
            return SecurityToken(token: token, type: type)
        }
        guard let authority = try text(data["authority"], "authority").flatMap({ try? HTTPAddress.url($0) }) else {
            throw .configuration("'authority' must be the address of an authorization server")
        }
        guard let origin = Origin(authority), origin.isPrivate else {
            throw .configuration(
                "the authority '\(PlainText.exact(authority.absoluteString, limit: 200))' must be an https address")
        }
        guard let grant = try choice(data["grant"], "grant", Grant.self) else {
            throw .configuration("'grant' is missing")
        }
        self.init(authority: authority, grant: grant)
        tokenPath = isDiscovered ? nil : try text(data["endpoints"]?["token"], "endpoints.token") ?? "/oauth2/token"
        let client = data["client"]
        clientID = try text(client?["id"], "client.id")
        clientSecret = try secret(client?["secret"], "client.secret")
        clientAssertion = try secret(client?["assertion"], "client.assertion")
        clientAuthentication =
            try choice(client?["authentication"], "client.authentication", ClientAuthentication.self) ?? .secretPost
        encoding = try choice(data["request"]?["encoding"], "request.encoding", Encoding.self) ?? .form
        issuers = try texts("issuers")
        scopes = try texts("scopes")
        audiences = try texts("audiences")
        username = try text(data["username"], "username")
        password = try secret(data["password"], "password")
        subject = try token("subject")
        actor = try token("actor")
        try checkCompleteness()
    }

    private func checkCompleteness() throws(AuthenticationFailure) {
        func need(_ isThere: Bool, _ name: String, _ reason: String) throws(AuthenticationFailure) {
            if !isThere { throw .configuration("'\(name)' is missing: \(reason) needs it") }
        }
        let method = "the client authentication '\(clientAuthentication.rawValue)'"
        switch clientAuthentication {
        case .none: break
        case .secretBasic, .secretPost, .secretJWT:
            try need(clientID != nil, "client.id", method)
            // A public client sends only its id.
            try need(clientSecret != nil || clientAuthentication == .secretPost, "client.secret", method)
        case .privateKeyJWT:
            try need(clientID != nil, "client.id", method)
            try need(clientAssertion != nil, "client.assertion", method)
        }
        let grant = "the grant '\(self.grant.rawValue)'"
        switch self.grant {
        case .clientCredentials: break
        case .password:
            try need(username != nil, "username", grant)
            try need(password != nil, "password", grant)
        case .refreshToken, .tokenExchange: try need(subject != nil, "subject", grant)
        }
    }
}

extension AuthenticationFailure {
    static func invalidEndpoint(_ address: String) -> AuthenticationFailure {
        .configuration("the token endpoint '\(PlainText.exact(address, limit: 200))' must be an https address")
    }
}
