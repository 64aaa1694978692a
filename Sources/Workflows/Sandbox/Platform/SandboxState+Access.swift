extension SandboxState {
    func refusal(of token: String, for call: SandboxCall) -> SandboxError? {
        guard let access = signIn.accessTokens[token] else {
            return signIn.rules.demandsIssuedTokens ? .badToken : nil
        }
        guard !access.isRevoked, call.date < access.expires else { return .badToken }
        guard access.resource == nil else { return .wrongAudience }
        if let challenge = signIn.challenge, !Self.covers(access.claims, challenge) { return .challenge(challenge) }
        guard let route = try? call.route.get(), route.resource != .unplayed else {
            return refusalByStore(of: access.permissions, isOfUser: access.account != nil, for: call)
        }
        if access.account == nil {
            guard route.owner != nil || !route.needsUser else { return nil }
            guard signIn.rules.applicationPermissions != nil else { return nil }
        }
        let sufficient = SandboxPermissions.sufficient(for: route, method: call.request.method)
        guard !sufficient.isEmpty, sufficient.isDisjoint(with: access.permissions) else { return nil }
        return .playing(Sandbox.Fault(method: "*", path: "*", answer: .status(403)), for: call)
    }

    /// The user of `/me`: the token's account, or the first user for a token from elsewhere.
    func signedInUser(_ call: SandboxCall) throws(SandboxError) -> SandboxUser {
        guard let access = call.token.flatMap({ signIn.accessTokens[$0] }) else { return directory.users[0] }
        guard let account = access.account else {
            throw .badRequest("/me request is only valid with delegated authentication flow.")
        }
        return account
    }

    private static func covers(_ claims: Value?, _ challenge: Value) -> Bool {
        guard let members = challenge.object else { return claims == challenge }
        return members.allSatisfy { name, value in covers(claims?[name], value) }
    }
}

extension SandboxError {
    static func challenge(_ claims: Value) -> SandboxError {
        SandboxError(
            status: 401, code: "InvalidAuthenticationToken",
            message: "Continuous access evaluation resulted in challenge with result: InteractionRequired.",
            headers: [
                "WWW-Authenticate": "Bearer realm=\"\","
                    + " authorization_uri=\"https://login.microsoftonline.com/common/oauth2/authorize\","
                    + " client_id=\"00000003-0000-0000-c000-000000000000\", error=\"insufficient_claims\","
                    + " claims=\"\(claims.jsonData().base64EncodedString())\""
            ])
    }
}
