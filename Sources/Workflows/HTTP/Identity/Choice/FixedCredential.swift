/// A token obtained elsewhere, used unchanged.
public struct FixedCredential: GrantingCredential {
    package static let refused = "The access token was refused: it is wrong, expired or revoked."

    private let token: AccessToken

    /// Creates a credential that always returns the same token.
    public init(_ token: AccessToken) { self.token = token }

    /// The token; rejected if it was refused, because there is no other.
    public func grant(for need: TokenNeed) -> Promise<TokenGrant> {
        if let refusal = need.refusal {
            let advice = ClaimsChallenge(challenges: refusal.challenges)?.advice(isApplication: token.isOfApplication)
            return Promise(error: CredentialError(.signInRequired, advice ?? Self.refused))
        }
        return .value(TokenGrant(token, source: "the given token"))
    }
}

extension Credential where Self == FixedCredential {
    /// A token obtained elsewhere, used unchanged.
    public static func fixed(_ token: AccessToken) -> FixedCredential { FixedCredential(token) }
}
