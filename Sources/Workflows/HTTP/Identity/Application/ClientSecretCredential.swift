public import Promises

/// A program that proves itself by a secret of its application's registration.
public struct ClientSecretCredential: GrantingCredential {
    private let tokens: ApplicationTokens

    /// Creates a credential.
    ///
    /// - Parameters:
    ///   - clientID: The application's id.
    ///   - secret: The secret's value, not its id.
    ///   - platform: Who issues the tokens; its authority has to be one tenant.
    public init(clientID: String, secret: Secret, on platform: IdentityPlatform) {
        tokens = ApplicationTokens(platform, clientID: clientID, source: "the client secret") { _, _ in
            .value(.secret(secret))
        }
    }

    /// Gets a token with what is known about it; scopes do not matter to a program, an administrator gave them.
    public func grant(for need: TokenNeed) -> Promise<TokenGrant> { tokens.grant(for: need) }
}
