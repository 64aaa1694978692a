/// Specification: RFC 6749, section 4; RFC 7521 and 7523 for assertions; RFC 8693 for an exchange.
struct TokenRequest {
    let settings: OAuth2Settings
    let endpoint: URL
    var refreshToken: Secret?
    let now: Date
    let id: String

    var request: HTTPRequest {
        var headers: HTTPHeaders = ["Accept": "application/json", "Content-Type": settings.encoding.rawValue]
        var fields = grantFields
        switch settings.clientAuthentication {
        case .none, .secretPost:
            if let id = settings.clientID { fields.append(("client_id", id)) }
            if settings.clientAuthentication == .secretPost, let secret = settings.clientSecret {
                fields.append(("client_secret", secret.revealed))
            }
        case .secretBasic:
            // RFC 6749, section 2.3.1: each is form-encoded first.
            let pair = [settings.clientID ?? "", settings.clientSecret?.revealed ?? ""].map { $0.percentEncoded() }
            let parameter = Data(pair.joined(separator: ":").utf8).base64EncodedString()
            headers["Authorization"] = "Basic \(parameter)"
        case .secretJWT, .privateKeyJWT:
            let assertion = settings.clientAuthentication == .secretJWT ? signedAssertion : settings.clientAssertion
            if let id = settings.clientID { fields.append(("client_id", id)) }
            fields.append(("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"))
            fields.append(("client_assertion", assertion?.revealed ?? ""))
        }
        return HTTPRequest("POST", endpoint, headers: headers, body: body(fields))
    }

    private var grantFields: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        let renewed = refreshToken ?? (settings.grant == .refreshToken ? settings.subject?.token : nil)
        if let renewed {
            fields = [("grant_type", "refresh_token"), ("refresh_token", renewed.revealed)]
        } else {
            fields = [("grant_type", settings.grant.rawValue)]
            if settings.grant == .password {
                fields.append(("username", settings.username ?? ""))
                fields.append(("password", settings.password?.revealed ?? ""))
            }
            for (name, token) in [("subject", settings.subject), ("actor", settings.actor)] {
                guard settings.grant == .tokenExchange, let token else { continue }
                fields.append(("\(name)_token", token.token.revealed))
                fields.append(("\(name)_token_type", token.type))
            }
        }
        if !settings.scopes.isEmpty { fields.append(("scope", settings.scopes.joined(separator: " "))) }
        return fields + settings.audiences.map { ("audience", $0) }
    }

    private func body(_ fields: [(name: String, value: String)]) -> Data {
        switch settings.encoding {
        case .form:
            return Data(
                fields.map { "\($0.name.percentEncoded())=\($0.value.percentEncoded())" }.joined(separator: "&").utf8)
        case .json:
            var object = Object()
            for (name, value) in fields {
                // If a form repeats a name, the JSON object has an array.
                switch object[name] {
                case .string(let first): object[name] = [.string(first), .string(value)]
                case .array(let several): object[name] = .array(several + [.string(value)])
                default: object[name] = .string(value)
                }
            }
            return Value.object(object).jsonData()
        }
    }

    private var signedAssertion: Secret {
        let seconds = Int(now.timeIntervalSince1970)
        let claims: Value = [
            "iss": .string(settings.clientID ?? ""), "sub": .string(settings.clientID ?? ""),
            "aud": .string(endpoint.absoluteString), "jti": .string(id), "iat": .integer(seconds),
            "exp": .integer(seconds + 300),
        ]
        return JSONWebToken.signed(claims, key: settings.clientSecret ?? Secret(""))
    }
}
