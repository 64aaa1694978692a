/// An application that authenticates with a certificate: it signs an assertion with the certificate's key.
///
/// The assertion is a JWT signed with PS256 that identifies the certificate by `x5t#S256`. The system's libcrypto reads
/// the certificate and signs.
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
    public init(
        clientID: String, certificateFile: URL, password: Secret? = nil, sendsChain: Bool = false,
        on platform: IdentityPlatform
    ) {
        tokens = ApplicationTokens(platform, clientID: clientID, source: "the client certificate") { endpoint, now in
            ClientCertificate.load(certificateFile, password: password).map(on: nil) { certificate in
                .assertion(
                    try certificate.statement(
                        of: clientID, for: endpoint, at: now, id: platform.randomBytes(16), sendsChain: sendsChain))
            }
        }
    }

    /// Gets a token and its properties; scopes are ignored, because an administrator granted the permissions.
    public func grant(for need: TokenNeed) -> Promise<TokenGrant> { tokens.grant(for: need) }
}
