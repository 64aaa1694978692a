public import Foundation

/// An access token with what is known about it.
public struct TokenGrant: Sendable {
    /// The token.
    public var token: AccessToken
    /// When it ends by this machine's clock; nil where nobody said.
    public var expiresAt: Date?
    /// The permissions that it carries, by their names; nil where nobody said.
    public var scopes: [String]?
    /// The tenant's id; nil where nobody said.
    public var tenant: String?
    /// Whose token it is, as a user principal name; nil for a program's own and for one that says nothing.
    public var username: String?
    /// Where it comes from, in words: `the signed-in account`.
    public var source: String
    /// Whether it is a program's own token, without a person.
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

/// What a token has to be good for.
public struct TokenNeed: Sendable {
    /// The permissions, by the names that Graph gives them; none for whatever there is.
    public var scopes: [String]
    /// The token that the service refused, which therefore is not given again; nil for a first request.
    public var refusal: TokenRefusal?

    /// Creates a description of a need.
    public init(_ scopes: [String], after refusal: TokenRefusal? = nil) {
        self.scopes = scopes
        self.refusal = refusal
    }
}

/// A token that the service answered with 401, and what it said about it.
public struct TokenRefusal: Sendable {
    /// The token that was refused.
    public let token: AccessToken
    /// The values of the answer's `WWW-Authenticate` fields, which may ask for more than a fresh token.
    public let challenges: [String]

    /// Creates a refusal.
    public init(of token: AccessToken, challenges: [String]) {
        self.token = token
        self.challenges = challenges
    }
}
