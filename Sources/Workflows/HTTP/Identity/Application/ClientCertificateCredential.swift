public import Essentials
public import Promises

/// An application that authenticates with a certificate: it signs an assertion with the certificate's key.
///
/// The assertion is a JWT signed with PS256 that identifies the certificate by `x5t#S256`. The program `openssl` signs
/// it, because no library is available on every system.
public struct ClientCertificateCredential: GrantingCredential {
    private let tokens: ApplicationTokens

    /// Creates a credential.
    ///
    /// - Parameters:
    ///   - clientID: The application's id.
    ///   - certificateFile: The certificate with its key, as PEM or as PKCS #12.
    ///   - password: The password of the encrypted key; nil if it is not encrypted.
    ///   - sendsChain: Whether to send the whole chain, as required if the application trusts an issuer and a subject
    ///     name.
    ///   - platform: The issuer of the tokens; its authority has to be a single tenant.
    ///   - environment: Environment variables; `openssl` is looked up in `PATH`.
    public init(
        clientID: String, certificateFile: URL, password: Secret? = nil, sendsChain: Bool = false,
        on platform: IdentityPlatform, environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        tokens = ApplicationTokens(platform, clientID: clientID, source: "the client certificate") { endpoint, now in
            ClientCertificate.load(certificateFile, password: password, environment, clock: platform.clock)
                .then(on: nil) { certificate in
                    certificate.statement(
                        of: clientID, for: endpoint, at: now, id: platform.randomBytes(16), sendsChain: sendsChain)
                }.map(on: nil) { .assertion($0) }
        }
    }

    /// Gets a token and its properties; scopes are ignored, because an administrator granted the permissions.
    public func grant(for need: TokenNeed) -> Promise<TokenGrant> { tokens.grant(for: need) }
}
