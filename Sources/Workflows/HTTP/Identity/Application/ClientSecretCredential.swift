/// An application that authenticates with a client secret.
public struct ClientSecretCredential: GrantingCredential {
    private let tokens: ApplicationTokens

    /// Creates a credential.
    ///
    /// - Parameters:
    ///   - clientID: The application's id.
    ///   - secret: The secret's value, not its id.
    ///   - platform: The issuer of the tokens; its authority has to be a single tenant.
    public init(clientID: String, secret: Secret, on platform: IdentityPlatform) {
        tokens = ApplicationTokens(platform, clientID: clientID, source: "the client secret") { _, _ in
            .value(.secret(secret))
        }
    }

    /// Gets a token and its properties; scopes are ignored, because an administrator granted the permissions.
    public func grant(for need: TokenNeed) -> Promise<TokenGrant> { tokens.grant(for: need) }
}
