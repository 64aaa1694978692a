import Foundation

/// A success of the token endpoint.
struct TokenAnswer: Sendable {
    /// Tokens that nobody says the life of live an hour, as nearly all do.
    private static let usualLife = 3_600

    let accessToken: AccessToken
    let tokenType: String
    /// How long the token lives, in seconds.
    let expiresIn: Int
    /// For how long it may be used while the service is down.
    let extendedExpiresIn: Int?
    /// From when on another one should be got, in seconds.
    let refreshIn: Int?
    /// What the token is good for, as the service says; empty where it says nothing.
    let scopes: [String]
    let refreshToken: Secret?
    let idTokenText: Secret?
    let idToken: IDToken?
    /// The family of clients that share refresh tokens.
    let family: String?
    /// The id of the account in the tenant that it comes from, `uid.utid`.
    let homeAccountID: String?
    /// How far this machine's clock is ahead of the service's, in seconds; nil where it does not say.
    let clockAhead: Int?

    /// Reads an answer.
    init(_ answer: IdentityAnswer, now: Date) throws(CredentialError) {
        let members = answer.members
        func text(_ name: String) -> String? { members[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }
        guard let token = text("access_token") else {
            throw CredentialError(.badAnswer, "The sign-in service reports success, but its answer holds no token.")
        }
        accessToken = AccessToken(token)
        tokenType = text("token_type") ?? "Bearer"
        guard tokenType.lowercased() == "bearer" else {
            throw CredentialError(
                .badAnswer,
                "The sign-in service gave a token of a kind that is not asked for: "
                    + "\(PlainText.line(tokenType, limit: 40)).")
        }
        // Some endpoints write numbers as texts.
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

    /// What a person is told where the clock is wrong by so much that dates deceive; nil where it is right.
    var clockNotice: String? { clockAhead.flatMap(Self.clockNotice) }

    private static func clockNotice(_ ahead: Int) -> String? {
        guard abs(ahead) > 300 else { return nil }
        let minutes = (abs(ahead) + 30) / 60
        return "This machine's clock is \(minutes) minutes \(ahead > 0 ? "ahead of" : "behind") the sign-in service's. "
            + "Signing in works all the same; the times that are shown are by this machine's clock."
    }
}
