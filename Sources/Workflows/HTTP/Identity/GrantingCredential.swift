/// A credential whose tokens come with their properties.
public protocol GrantingCredential: Credential {
    /// Gets a token and its properties.
    ///
    /// - Returns: The token; rejected with ``CredentialError`` if something has to be done first.
    func grant(for need: TokenNeed) -> Promise<TokenGrant>
}

extension GrantingCredential {
    /// Gets a token that covers these permissions.
    public func token(for scopes: [String]) -> Promise<AccessToken> {
        grant(for: TokenNeed(scopes)).map(on: nil) { $0.token }
    }

    /// Gets another token after the service refused one.
    public func token(for scopes: [String], after refusal: TokenRefusal) -> Promise<AccessToken> {
        grant(for: TokenNeed(scopes, after: refusal)).map(on: nil) { $0.token }
    }
}
