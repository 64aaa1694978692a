/// An account that signed in before, with `graphflow login` or in this program; it never prompts the user.
///
/// A token comes from the cache while it is valid for 5 more minutes, else from the refresh token. Of several
/// concurrent callers, in any process, only one asks the service. If the user has to act, it rejects with advice.
public struct SignedInCredential: GrantingCredential {
    private let silent: SilentSignIn

    /// Creates a credential.
    ///
    /// - Parameters:
    ///   - clientID: The application to which the user signed in; nil for any.
    ///   - username: The account's user principal name; nil for the one that signed in last.
    ///   - cache: Where the tokens are kept.
    ///   - platform: The issuer of tokens.
    public init(
        clientID: String? = nil, username: String? = nil, cache: TokenCache,
        on platform: IdentityPlatform = IdentityPlatform()
    ) {
        silent = SilentSignIn(platform, clientID: clientID, username: username, cache: cache)
    }

    /// Gets a token and its properties.
    public func grant(for need: TokenNeed) -> Promise<TokenGrant> { silent.grant(for: need) }
}
