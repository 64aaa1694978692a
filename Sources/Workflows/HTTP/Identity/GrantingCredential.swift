public import Promises

/// A credential that knows more about its tokens than their text.
public protocol GrantingCredential: Credential {
    /// Gets a token with what is known about it.
    ///
    /// - Returns: The token; rejected with ``CredentialError`` where somebody has to do something first.
    func grant(for need: TokenNeed) -> Promise<TokenGrant>
}

extension GrantingCredential {
    /// Gets a token that is good for these permissions.
    public func token(for scopes: [String]) -> Promise<AccessToken> {
        grant(for: TokenNeed(scopes)).map(on: nil) { $0.token }
    }

    /// Gets another token after the service refused one.
    public func token(for scopes: [String], after refusal: TokenRefusal) -> Promise<AccessToken> {
        grant(for: TokenNeed(scopes, after: refusal)).map(on: nil) { $0.token }
    }
}
