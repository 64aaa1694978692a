/// The first available credential, in the order of the Azure SDKs.
///
/// The sources are the environment, the workload identity, the managed identity, the account of `graphflow login` and
/// the Azure CLI. The first one with a token is used from then on. If all fail, the error lists the reason for each.
public struct DefaultCredential: GrantingCredential {
    /// A source of credentials.
    public enum Source: String, Sendable, CaseIterable {
        /// `GRAPHFLOW_ACCESS_TOKEN`, or an application with a secret or certificate.
        case environment = "EnvironmentCredential"
        /// An application with a token file, as provided by Kubernetes and CI services.
        case workloadIdentity = "WorkloadIdentityCredential"
        /// The identity of the machine.
        case managedIdentity = "ManagedIdentityCredential"
        /// The account signed in with `graphflow login`.
        case signedInAccount = "SharedTokenCacheCredential"
        /// The account signed in with `az login`.
        case azureCLI = "AzureCliCredential"

        /// The sources selected by the value of `AZURE_TOKEN_CREDENTIALS`: `prod`, `dev`, or one of them; nil for none.
        public static func named(_ name: String) -> [Source]? {
            switch name.lowercased() {
            case "prod": [.environment, .workloadIdentity, .managedIdentity]
            case "dev": [.signedInAccount, .azureCLI]
            default: allCases.first { $0.rawValue.lowercased() == name.lowercased() }.map { [$0] }
            }
        }

        fileprivate var words: String {
            switch self {
            case .environment: "environment"
            case .workloadIdentity: "workload identity"
            case .managedIdentity: "managed identity"
            case .signedInAccount: "signed-in account"
            case .azureCLI: "Azure CLI"
            }
        }
    }

    private let chain: CredentialChain

    /// Creates a credential.
    ///
    /// - Parameters:
    ///   - environment: Environment variables; `AZURE_TOKEN_CREDENTIALS` may select among the sources.
    ///   - sources: The sources in order, unless the environment selects others.
    ///   - cache: The tokens of signed-in accounts; nil for this user's.
    ///   - platform: The issuer of tokens; nil for the one in the environment.
    /// - Throws: ``CredentialError`` if the environment is not valid.
    public init(
        environment: [String: String] = ProcessInfo.processInfo.environment, sources: [Source] = Source.allCases,
        cache: TokenCache? = nil, on platform: IdentityPlatform? = nil
    ) throws(CredentialError) {
        try self.init(
            environment: environment, sources: sources, cache: cache, on: platform, username: nil, clientID: nil)
    }

    package init(
        environment: [String: String], sources: [Source], cache: TokenCache?, on platform: IdentityPlatform?,
        username: String?, clientID: String?
    ) throws(CredentialError) {
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let given = EnvironmentCredential(environment, on: platform)
        if given.isToken, sources.contains(.environment) {
            // A given token needs no issuer.
            chain = CredentialChain([(Source.environment.words, .success(given))])
            return
        }
        let platform = if let platform { platform } else { try IdentityPlatform(environment: environment) }
        var chosen = sources
        if let name = variable("AZURE_TOKEN_CREDENTIALS") {
            guard let named = Source.named(name) else {
                throw CredentialError(
                    .misconfigured,
                    "AZURE_TOKEN_CREDENTIALS is '\(PlainText.exact(name, limit: 100))', which is neither 'prod', 'dev' "
                        + "nor one of \(Source.allCases.map(\.rawValue).joined(separator: ", ")).")
            }
            chosen = named
        }
        let client = clientID ?? variable("AZURE_CLIENT_ID")
        chain = CredentialChain(
            chosen.map { source in
                let credential = Result { () throws(CredentialError) -> any GrantingCredential in
                    switch source {
                    case .environment:
                        let credential = EnvironmentCredential(environment, on: platform)
                        if let absence = credential.absence { throw absence }
                        return credential
                    case .workloadIdentity:
                        guard let file = variable("AZURE_FEDERATED_TOKEN_FILE"), let client else {
                            throw CredentialError(
                                .notConfigured,
                                "AZURE_FEDERATED_TOKEN_FILE, AZURE_TENANT_ID and AZURE_CLIENT_ID are not all set.")
                        }
                        return WorkloadIdentityCredential(
                            clientID: client, tokenFile: URL(fileURLWithPath: file), on: platform)
                    case .managedIdentity:
                        return ManagedIdentityCredential(clientID: client, environment: environment, on: platform)
                    case .signedInAccount:
                        return SignedInCredential(
                            clientID: clientID, username: username ?? variable("AZURE_USERNAME"),
                            cache: cache ?? .shared(environment: environment), on: platform)
                    case .azureCLI: return AzureCLICredential(environment: environment, on: platform)
                    }
                }
                return (source.words, credential)
            })
    }

    /// Gets a token and its properties.
    public func grant(for need: TokenNeed) -> Promise<TokenGrant> { chain.grant(for: need) }
}

final class CredentialChain: Sendable {
    typealias Link = (name: String, credential: Result<any GrantingCredential, CredentialError>)

    private let links: [Link]
    private let found = Locked<Int?>(nil)

    init(_ links: [Link]) { self.links = links }

    func grant(for need: TokenNeed) -> Promise<TokenGrant> {
        if let index = found.withLock({ $0 }), case .success(let credential) = links[index].credential {
            return credential.grant(for: need)
        }
        return ask(0, for: need, failures: [])
    }

    private func ask(_ index: Int, for need: TokenNeed, failures: [CredentialError]) -> Promise<TokenGrant> {
        guard index < links.count else { return Promise(error: summary(failures)) }
        switch links[index].credential {
        case .failure(let error): return ask(index + 1, for: need, failures: failures + [error])
        case .success(let credential):
            return credential.grant(for: need).map(on: nil) { [self] grant in
                found.withLock { $0 = index }
                return grant
            }.recover(on: nil) { [self] error -> Promise<TokenGrant> in
                guard let error = error as? CredentialError else { throw error }
                // A credential that exists but is refused or unreachable is not skipped in favour of another account.
                let goesOn = error.code == .notConfigured || error.code == .signInRequired
                guard goesOn else { throw error }
                return ask(index + 1, for: need, failures: failures + [error])
            }
        }
    }

    private func summary(_ failures: [CredentialError]) -> CredentialError {
        guard failures.count > 1 else {
            return failures.first ?? CredentialError(.notConfigured, "No credential is configured.")
        }
        // The signed-in account's reason already contains the advice.
        let last = failures.last { $0.code == .signInRequired }
        var error = CredentialError(.signInRequired, last?.message ?? "No token is available.")
        let reasons = zip(links, failures).filter { $1.message != error.message }.map { link, failure in
            "\(link.name): \(failure.message)"
        }
        error.serviceMessage = last?.serviceMessage
        error.correlationID = last?.correlationID
        error.claimsChallenge = last?.claimsChallenge
        error.reasons = reasons
        return error
    }
}
