/// A credential from environment variables, as in the Azure SDKs.
///
/// `GRAPHFLOW_ACCESS_TOKEN` is used unchanged. Without it, `AZURE_TENANT_ID` and `AZURE_CLIENT_ID` identify an
/// application, which authenticates with `AZURE_CLIENT_SECRET`, else with `AZURE_CLIENT_CERTIFICATE_PATH`.
public struct EnvironmentCredential: GrantingCredential {
    private static let variable = "GRAPHFLOW_ACCESS_TOKEN"

    private enum Source: Sendable {
        case token(AccessToken)
        case application(any GrantingCredential)
        case none(CredentialError)
    }

    private let source: Source

    /// Creates a credential from these environment variables.
    ///
    /// - Parameters:
    ///   - environment: The variables.
    ///   - platform: The issuer of tokens; nil for the one in the variables.
    public init(_ environment: [String: String], on platform: IdentityPlatform? = nil) {
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let text = variable(Self.variable) {
            source = .token(AccessToken(text))
            return
        }
        let secret = variable("AZURE_CLIENT_SECRET")
        let certificate = variable("AZURE_CLIENT_CERTIFICATE_PATH")
        guard let clientID = variable("AZURE_CLIENT_ID"), secret ?? certificate != nil else {
            source = .none(
                CredentialError(
                    .notConfigured,
                    "\(Self.variable) is not set, and neither are AZURE_TENANT_ID and AZURE_CLIENT_ID with "
                        + "AZURE_CLIENT_SECRET or AZURE_CLIENT_CERTIFICATE_PATH."))
            return
        }
        do throws(CredentialError) {
            let platform = if let platform { platform } else { try IdentityPlatform(environment: environment) }
            guard platform.authority.isOneTenant else {
                throw CredentialError(
                    .misconfigured,
                    "AZURE_CLIENT_ID is set, but AZURE_TENANT_ID names no tenant: set it to an id or domain.")
            }
            if let secret {
                source = .application(ClientSecretCredential(clientID: clientID, secret: Secret(secret), on: platform))
            } else {
                let sendsChain = ["1", "true"].contains(
                    (variable("AZURE_CLIENT_SEND_CERTIFICATE_CHAIN") ?? "").lowercased())
                source = .application(
                    ClientCertificateCredential(
                        clientID: clientID, certificateFile: URL(fileURLWithPath: certificate ?? ""),
                        password: variable("AZURE_CLIENT_CERTIFICATE_PASSWORD").map { Secret($0) },
                        sendsChain: sendsChain, on: platform))
            }
        } catch {
            source = .none(error)
        }
    }

    var isToken: Bool {
        if case .token = source { true } else { false }
    }

    /// Gets a token and its properties.
    public func grant(for need: TokenNeed) -> Promise<TokenGrant> {
        switch source {
        case .application(let credential): return credential.grant(for: need)
        case .none(let error) where error.code == .notConfigured:
            let wanted =
                need.scopes.isEmpty ? "Microsoft Graph" : "Microsoft Graph with \(need.scopes.joined(separator: ", "))"
            return Promise(
                error: CredentialError(
                    .signInRequired, "No account is signed in. Set \(Self.variable) to an access token for \(wanted)."))
        case .none(let error): return Promise(error: error)
        case .token(let token):
            guard need.refusal == nil else {
                return Promise(
                    error: CredentialError(
                        .signInRequired,
                        "The token in \(Self.variable) was refused: it is wrong, expired or revoked. "
                            + "Set it to a fresh one."))
            }
            return .value(TokenGrant(token, source: Self.variable))
        }
    }

    var absence: CredentialError? {
        if case .none(let error) = source, error.code == .notConfigured { error } else { nil }
    }
}

extension Credential where Self == EnvironmentCredential {
    /// A token from the environment of this process.
    public static var environment: EnvironmentCredential {
        EnvironmentCredential(ProcessInfo.processInfo.environment)
    }

    /// A token from these environment variables.
    public static func environment(_ variables: [String: String]) -> EnvironmentCredential {
        EnvironmentCredential(variables)
    }
}
