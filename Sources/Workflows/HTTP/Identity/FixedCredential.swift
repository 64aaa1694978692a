public import Promises

/// A token obtained elsewhere, used unchanged.
public struct FixedCredential: GrantingCredential {
    private let token: AccessToken

    /// Creates a credential that always returns the same token.
    public init(_ token: AccessToken) { self.token = token }

    /// The token; rejected if it was refused, because there is no other.
    public func grant(for need: TokenNeed) -> Promise<TokenGrant> {
        guard need.refusal == nil else {
            return Promise(
                error: CredentialError(
                    .signInRequired, "The access token was refused: it is wrong, expired or revoked."))
        }
        return .value(TokenGrant(token, source: "the given token"))
    }
}

extension Credential where Self == FixedCredential {
    /// A token obtained elsewhere, used unchanged.
    public static func fixed(_ token: AccessToken) -> FixedCredential { FixedCredential(token) }
}
