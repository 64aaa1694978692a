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
