public import Promises

/// A token that was got elsewhere, used as it is.
public struct FixedCredential: GrantingCredential {
    private let token: AccessToken

    /// Creates a credential that always gives the same token.
    public init(_ token: AccessToken) { self.token = token }

    /// The token; rejected where it was refused, since there is no other one.
    public func grant(for need: TokenNeed) -> Promise<TokenGrant> {
        guard need.refusal == nil else {
            return Promise(
                error: CredentialError(
                    .signInRequired, "The access token was refused: it is wrong, expired or revoked."))
        }
        return .value(TokenGrant(token, source: "a token that was given"))
    }
}

extension Credential where Self == FixedCredential {
    /// A token that was got elsewhere, used as it is.
    public static func fixed(_ token: AccessToken) -> FixedCredential { FixedCredential(token) }
}
