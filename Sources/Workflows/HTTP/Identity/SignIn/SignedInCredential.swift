public import Promises

/// Whoever signed in before, with `graphflow login` or in this program: their tokens, without asking them anything.
///
/// A token comes from the cache while it is good for 5 minutes more, else by the refresh token; of many who ask at once,
/// in this process and in others, one asks the service. Where a person has to act, it rejects with what to do.
public struct SignedInCredential: GrantingCredential {
    private let silent: SilentSignIn

    /// Creates a credential.
    ///
    /// - Parameters:
    ///   - clientID: The application that the person signed in to; nil for any.
    ///   - username: The user principal name of the person; nil for who signed in last.
    ///   - cache: Where the tokens are kept.
    ///   - platform: Who issues them.
    public init(
        clientID: String? = nil, username: String? = nil, cache: TokenCache,
        on platform: IdentityPlatform = IdentityPlatform()
    ) {
        silent = SilentSignIn(platform, clientID: clientID, username: username, cache: cache)
    }

    /// Gets a token with what is known about it.
    public func grant(for need: TokenNeed) -> Promise<TokenGrant> { silent.grant(for: need) }
}
