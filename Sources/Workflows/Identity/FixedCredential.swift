public import Promises

/// A token that was got elsewhere, used as it is.
public struct FixedCredential: Credential {
    private let token: AccessToken

    /// Creates a credential that always gives the same token.
    public init(_ token: AccessToken) { self.token = token }

    /// The token.
    public func token(for scopes: [String]) -> Promise<AccessToken> { .value(token) }

    /// Rejects: there is no other token.
    public func token(for scopes: [String], after refusal: TokenRefusal) -> Promise<AccessToken> {
        Promise(
            error: CredentialError(.signInRequired, "The access token was refused: it is wrong, expired or revoked."))
    }
}

extension Credential where Self == FixedCredential {
    /// A token that was got elsewhere, used as it is.
    public static func fixed(_ token: AccessToken) -> FixedCredential { FixedCredential(token) }
}
