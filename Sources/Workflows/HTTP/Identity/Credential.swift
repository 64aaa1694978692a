/// A source of access tokens.
public protocol Credential: Sendable {
    /// Gets a token that covers these permissions.
    ///
    /// - Parameter scopes: The names of Graph permissions, such as `Mail.Send`.
    /// - Returns: The token; rejected with ``CredentialError`` if something has to be done first.
    func token(for scopes: [String]) -> Promise<AccessToken>

    /// Gets another token after the service refused one; rejected if there is no other token.
    func token(for scopes: [String], after refusal: TokenRefusal) -> Promise<AccessToken>
}
