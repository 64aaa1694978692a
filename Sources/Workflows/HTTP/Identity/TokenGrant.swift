/// An access token and its properties.
public struct TokenGrant: Sendable {
    /// The token.
    public var token: AccessToken
    /// The expiry time by this machine's clock; nil if unknown.
    public var expiresAt: Date?
    /// The names of the permissions in the token; nil if unknown.
    public var scopes: [String]?
    /// The tenant's id; nil if unknown.
    public var tenant: String?
    /// The token's user, as a user principal name; nil for an application's own token, or if unknown.
    public var username: String?
    /// The source in words: `the signed-in account`.
    public var source: String
    /// Whether it is an application's own token, without a user.
    public var isApplication = false

    /// Creates a grant.
    public init(
        _ token: AccessToken, expiresAt: Date? = nil, scopes: [String]? = nil, tenant: String? = nil,
        username: String? = nil, source: String
    ) {
        self.token = token
        self.expiresAt = expiresAt
        self.scopes = scopes
        self.tenant = tenant
        self.username = username
        self.source = source
    }
}

/// What a token must provide.
public struct TokenNeed: Sendable {
    /// The required permissions by their Graph names; empty for any token.
    public var scopes: [String]
    /// The token that the service refused, which must not be returned again; nil for a first request.
    public var refusal: TokenRefusal?

    /// Creates a requirement.
    public init(_ scopes: [String], after refusal: TokenRefusal? = nil) {
        self.scopes = scopes
        self.refusal = refusal
    }
}

/// A token that the service refused with 401, and the challenges in its response.
public struct TokenRefusal: Sendable {
    /// The token that was refused.
    public let token: AccessToken
    /// The values of the response's `WWW-Authenticate` fields, which may require more than a fresh token.
    public let challenges: [String]

    /// Creates a refusal.
    public init(of token: AccessToken, challenges: [String]) {
        self.token = token
        self.challenges = challenges
    }
}
