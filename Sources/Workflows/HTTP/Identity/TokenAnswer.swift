struct TokenAnswer: Sendable {
    private static let usualLife = 3_600

    let accessToken: AccessToken
    let tokenType: String
    /// In seconds.
    let expiresIn: Int
    /// How long it may be used while the service is down, in seconds.
    let extendedExpiresIn: Int?
    /// When to get another token, in seconds.
    let refreshIn: Int?
    let scopes: [String]
    let refreshToken: Secret?
    let idTokenText: Secret?
    let idToken: IDToken?
    /// The family of clients that share refresh tokens.
    let family: String?
    let homeAccountID: String?
    /// How far this machine's clock is ahead of the service's, in seconds; nil if unknown.
    let clockAhead: Int?

    init(_ answer: IdentityAnswer, now: Date) throws(CredentialError) {
        let members = answer.members
        func text(_ name: String) -> String? { members[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }
        guard let token = text("access_token") else {
            throw CredentialError(.badAnswer, "The sign-in service reported success without a token.")
        }
        accessToken = AccessToken(token)
        tokenType = text("token_type") ?? "Bearer"
        guard tokenType.lowercased() == "bearer" else {
            throw CredentialError(
                .badAnswer,
                "The sign-in service returned a token of an unexpected type: "
                    + "\(PlainText.line(tokenType, limit: 40)).")
        }
        // Some endpoints write numbers as strings.
        func seconds(_ name: String) -> Int? {
            members[name].flatMap { $0.integer ?? $0.string.flatMap { Int($0) } }.map { max(0, min($0, 1 << 31)) }
        }
        let life = seconds("expires_in") ?? seconds("expires_on").map { $0 - Int(now.timeIntervalSince1970) }
        expiresIn = life ?? Self.usualLife
        extendedExpiresIn = seconds("ext_expires_in")
        refreshIn = seconds("refresh_in")
        scopes = (text("scope") ?? "").split(separator: " ").map(String.init)
        refreshToken = text("refresh_token").map { Secret($0) }
        idTokenText = text("id_token").map { Secret($0) }
        idToken = idTokenText.flatMap { IDToken($0) }
        family = text("foci")
        homeAccountID = Self.homeAccountID(text("client_info"), idToken)
        clockAhead = answer.date.map { Int(now.timeIntervalSince($0).rounded()) }
    }

    private static func homeAccountID(_ clientInfo: String?, _ idToken: IDToken?) -> String? {
        if let data = clientInfo.flatMap({ Base64URL.decode($0) }), let info = try? Value(json: data),
            let user = info["uid"]?.string, let tenant = info["utid"]?.string
        {
            return "\(user).\(tenant)"
        }
        guard let idToken, let user = idToken.objectID else { return nil }
        return idToken.tenant.map { "\(user).\($0)" } ?? user
    }

    var clockNotice: String? { clockAhead.flatMap(Self.clockNotice) }

    private static func clockNotice(_ ahead: Int) -> String? {
        guard abs(ahead) > 300 else { return nil }
        let minutes = (abs(ahead) + 30) / 60
        return "This machine's clock is \(minutes) minutes \(ahead > 0 ? "ahead of" : "behind") the sign-in service's. "
            + "Signing in still works; times are shown by this machine's clock."
    }
}
