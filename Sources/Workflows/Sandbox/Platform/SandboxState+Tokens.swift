extension SandboxState {
    static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
    static let onBehalfOfGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer"

    mutating func token(_ call: SandboxSignInCall) throws(SandboxSignInError) -> HTTPResponse {
        if let repeated = call.form.repeated { throw .malformed("'\(repeated)' is given more than once.") }
        let grantType = try call.required("grant_type")
        guard SandboxTenant.isKnown(call.route.tenant) else { throw .noTenant(call.route.tenant) }
        let client = try SandboxClientIdentity(call)
        switch grantType {
        case "client_credentials": return try applicationToken(call, client)
        case Self.onBehalfOfGrant: return try issue(try onBehalfOf(call, client), call)
        case "authorization_code", "refresh_token", Self.deviceGrant: break
        default:
            throw SandboxSignInError(
                "unsupported_grant_type", 70_003, "The app requested an unsupported grant type '\(grantType)'.")
        }
        let application = client.application
        if signIn.rules.applications[application] != nil {
            try checkProof(of: client, call)
        } else if client.proof != nil {
            throw SandboxSignInError(
                "invalid_client", 700_025,
                "Client is public so neither 'client_assertion' nor 'client_secret' should be presented.", status: 401)
        }
        switch grantType {
        case "authorization_code": return try issue(try redeemCode(call, application: application), call)
        case "refresh_token": return try refresh(call, application: application)
        default: return try issue(try redeemDevice(call, application: application), call)
        }
    }

    private mutating func redeemCode(
        _ call: SandboxSignInCall, application: String
    ) throws(SandboxSignInError) -> SandboxSignIn.Grant {
        let name = try call.required("code")
        let redirectURI = try call.required("redirect_uri")
        if signIn.rules.applications[application] == nil { _ = try call.required("code_verifier") }
        guard let code = signIn.codes[name], code.grant.application == application else {
            throw .invalidGrant
        }
        guard !code.isUsed else {
            // Another party may have the code (RFC 6749, section 4.1.2).
            signIn.revokeTokens(ofCode: name)
            throw SandboxSignInError(
                "invalid_grant", 54_005,
                "OAuth2 Authorization code was already redeemed, please retry with a new valid code or use an existing"
                    + " refresh token.")
        }
        signIn.codes[name]?.isUsed = true
        guard call.date < code.expires else {
            throw SandboxSignInError(
                "invalid_grant", 70_008,
                "The provided authorization code has expired. Send a new interactive authorization request.")
        }
        guard code.redirectURI == redirectURI else {
            throw SandboxSignInError(
                "invalid_client", 500_112,
                "The reply address '\(redirectURI)' does not match the reply address '\(code.redirectURI)' provided when"
                    + " requesting Authorization code.")
        }
        guard Self.verifies(call.form["code_verifier"], code.challenge) else { throw .wrongVerifier }
        var grant = code.grant
        grant.code = name
        return grant
    }

    /// Whether a client has the verifier of its request's challenge.
    ///
    /// Without a challenge there must be no verifier either: otherwise an attacker may have removed the challenge (RFC
    /// 9700, section 2.1.1).
    private static func verifies(_ verifier: String?, _ challenge: String?) -> Bool {
        guard let verifier, let challenge else { return verifier == nil && challenge == nil }
        let isVerifier = verifier.wholeMatch(of: /[A-Za-z0-9._~-]{43,128}/) != nil
        return isVerifier && Base64URL.encode(SHA256.hash(of: Data(verifier.utf8))) == challenge
    }

    /// A web application's grant on behalf of the person whose token it received.
    private mutating func onBehalfOf(
        _ call: SandboxSignInCall, _ client: SandboxClientIdentity
    ) throws(SandboxSignInError) -> SandboxSignIn.Grant {
        let assertion = try call.required("assertion")
        let use = try call.required("requested_token_use")
        _ = try call.required("scope")
        try checkProof(of: client, call)
        guard use == "on_behalf_of" else { throw .malformed("The requested_token_use '\(use)' is not supported.") }
        guard let access = signIn.accessTokens[assertion] else {
            throw SandboxSignInError("invalid_grant", 50_013, "Assertion failed signature validation.")
        }
        guard access.resource == client.application else {
            throw SandboxSignInError(
                "invalid_grant", 500_131,
                "Assertion audience does not match the Client app presenting the assertion. The audience in the assertion"
                    + " was '\(access.resource ?? "https://graph.microsoft.com")' and the expected audience is"
                    + " '\(client.application)'.")
        }
        guard !access.isRevoked else { throw SandboxSignInError.revoked }
        guard call.date < access.expires else {
            throw SandboxSignInError("invalid_grant", 500_133, "Assertion is not within its valid time range.")
        }
        guard let account = access.account else {
            throw SandboxSignInError(
                "invalid_grant", 7_000_114,
                "Application '\(access.application)' is not allowed to make application on-behalf-of calls.")
        }
        let scopes = try SandboxScopes(
            call.form.words("scope"), application: client.application, call, signIn.rules)
        // The person is not present and cannot be asked.
        if case .approving = signIn.rules.person { signIn.consent(to: scopes, of: client.application, by: account) }
        guard signIn.isConsented(scopes, by: account, to: client.application) else {
            throw .notConsented(client.application)
        }
        return SandboxSignIn.Grant(account: account, application: client.application, scopes: scopes, code: access.code)
    }

    private mutating func refresh(
        _ call: SandboxSignInCall, application: String
    ) throws(SandboxSignInError) -> HTTPResponse {
        let name = try call.required("refresh_token")
        guard let known = signIn.refreshTokens[name], known.grant.application == application else {
            throw .invalidGrant
        }
        guard !known.isRevoked else { throw SandboxSignInError.revoked }
        guard call.date < known.expires else {
            throw SandboxSignInError(
                "invalid_grant", 700_082, "The refresh token has expired due to inactivity.", suberror: "token_expired")
        }
        guard !known.isUsed || signIn.rules.acceptsUsedRefreshTokens else { throw .invalidGrant }
        var grant = known.grant
        if call.form["scope"] != nil {
            grant.scopes = try SandboxScopes(call.form.words("scope"), application: application, call, signIn.rules)
            // The permission to refresh need not be requested again.
            grant.scopes.openID.insert("offline_access")
        }
        let isAsked = grant.scopes.isDefault || !grant.scopes.permissions.isEmpty
        guard !isAsked || signIn.isConsented(grant.scopes, by: grant.account, to: application) else {
            throw .notConsented(application)
        }
        // The request's claims replace the grant's.
        grant.claims = try call.claims() ?? grant.claims
        grant.nonce = nil
        let response = try issue(grant, call)
        signIn.refreshTokens[name]?.isUsed = true
        return response
    }

    private mutating func issue(
        _ grant: SandboxSignIn.Grant, _ call: SandboxSignInCall
    ) throws(SandboxSignInError) -> HTTPResponse {
        var grant = grant
        grant.claims = try call.claims() ?? grant.claims
        let rules = signIn.rules
        let granted = signIn.consented(by: grant.account, to: grant.application, of: grant.scopes.resource)
        let token = try accessToken(
            SandboxSignIn.Access(
                account: grant.account, application: grant.application, resource: grant.scopes.resource,
                permissions: granted, claims: grant.claims, code: grant.code,
                expires: call.date.addingTimeInterval(TimeInterval(rules.tokenLifetime))), call)
        var answer: Object = [
            "token_type": "Bearer", "scope": .string(grant.scopes.text(granted: granted)),
            "expires_in": .integer(rules.tokenLifetime), "ext_expires_in": .integer(rules.tokenLifetime),
        ]
        if let refreshIn = rules.refreshIn { answer["refresh_in"] = .integer(refreshIn) }
        answer["access_token"] = .string(token)
        if grant.scopes.openID.contains("offline_access") {
            let refresh = secret(96)
            signIn.refreshTokens[refresh] = SandboxSignIn.Refresh(
                grant: grant, expires: call.date.addingTimeInterval(TimeInterval(rules.refreshTokenLifetime)))
            answer["refresh_token"] = .string(refresh)
        }
        if grant.scopes.openID.contains("openid") { answer["id_token"] = .string(try idToken(grant, call)) }
        if call.form["client_info"] == "1" {
            let info: Value = ["uid": .string(grant.account.id), "utid": .string(SandboxTenant.id)]
            answer["client_info"] = .string(Base64URL.encode(info.jsonData()))
        }
        return Self.answer(answer)
    }

    mutating func accessToken(
        _ access: SandboxSignIn.Access, _ call: SandboxSignInCall
    ) throws(SandboxSignInError) -> String {
        var claims = claims(
            of: access.account, for: access.application, audience: access.resource ?? "https://graph.microsoft.com",
            call)
        claims["appid"] = .string(access.application)
        claims["idtyp"] = access.account == nil ? "app" : "user"
        if let account = access.account {
            claims["scp"] = .string(access.permissions.sorted().joined(separator: " "))
            claims["upn"] = .string(account.userPrincipalName)
            claims["name"] = .string(account.displayName)
        } else if access.resource == nil, signIn.rules.applicationPermissions != nil {
            // Without a list, the application may do everything.
            claims["roles"] = .array(access.permissions.sorted().map { .string($0) })
        }
        let token = try SandboxSigningKey.token(claims)
        signIn.accessTokens[token] = access
        return token
    }

    private mutating func claims(
        of account: SandboxUser?, for application: String, audience: String, _ call: SandboxSignInCall
    ) -> Object {
        let now = Int(call.date.timeIntervalSince1970)
        // Microsoft Entra dates tokens back, for clocks that are slow.
        let issued = now - 300
        let subject = (account?.id ?? "") + application
        return [
            "ver": "2.0", "iss": .string(call.issuer), "aud": .string(audience), "iat": .integer(issued),
            "nbf": .integer(issued), "exp": .integer(now + signIn.rules.tokenLifetime),
            "sub": .string(Base64URL.encode(SHA256.hash(of: Data(subject.utf8)))),
            "oid": .string(account?.id ?? application), "tid": .string(SandboxTenant.id), "uti": .string(secret(22)),
        ]
    }

    private mutating func idToken(
        _ grant: SandboxSignIn.Grant, _ call: SandboxSignInCall
    ) throws(SandboxSignInError) -> String {
        let account = grant.account
        var claims = claims(of: account, for: grant.application, audience: grant.application, call)
        if grant.scopes.openID.contains("profile") {
            claims["name"] = .string(account.displayName)
            claims["preferred_username"] = .string(account.userPrincipalName)
            claims["login_hint"] = .string(Base64URL.encode(account.id.utf8))
        }
        if grant.scopes.openID.contains("email"), let mail = account.mail { claims["email"] = .string(mail) }
        if let nonce = grant.nonce { claims["nonce"] = .string(nonce) }
        for (name, value) in signIn.rules.idTokenClaims { claims[name] = value.isNull ? nil : value }
        return try SandboxSigningKey.token(claims)
    }
}

extension SandboxSignInError {
    static let revoked = SandboxSignInError(
        "invalid_grant", 50_173,
        "The provided grant has expired due to it being revoked, a fresh auth token is needed. The user might have"
            + " changed or reset their password.", suberror: "bad_token")
}
