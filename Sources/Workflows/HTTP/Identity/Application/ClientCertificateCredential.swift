public import Foundation
public import Promises

/// A program that proves itself by a certificate: it signs a statement with the certificate's key.
///
/// The statement is a JWT signed with PS256 that names the certificate by `x5t#S256`. The program `openssl` makes the
/// signature, since no library of the system does so everywhere.
public struct ClientCertificateCredential: GrantingCredential {
    private let tokens: ApplicationTokens

    /// Creates a credential.
    ///
    /// - Parameters:
    ///   - clientID: The application's id.
    ///   - certificateFile: The certificate with its key, as PEM or as PKCS #12.
    ///   - password: What the key is encrypted with; nil where it is not.
    ///   - sendsChain: Whether the whole chain is sent, as applications that trust an issuer and a subject's name need it.
    ///   - platform: Who issues the tokens; its authority has to be one tenant.
    ///   - environment: Environment variables; `PATH` says where `openssl` is looked for.
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

    /// Gets a token with what is known about it; scopes do not matter to a program, an administrator gave them.
    public func grant(for need: TokenNeed) -> Promise<TokenGrant> { tokens.grant(for: need) }
}
