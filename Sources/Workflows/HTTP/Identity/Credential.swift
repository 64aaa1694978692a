public import Promises

/// Something that can get an access token.
public protocol Credential: Sendable {
    /// Gets a token that is good for these permissions.
    ///
    /// - Parameter scopes: The names of Graph's permissions, such as `Mail.Send`.
    /// - Returns: The token; rejected with ``CredentialError`` where somebody has to do something first.
    func token(for scopes: [String]) -> Promise<AccessToken>

    /// Gets another token after the service refused one; a credential that has no other one rejects.
    func token(for scopes: [String], after refusal: TokenRefusal) -> Promise<AccessToken>
}
