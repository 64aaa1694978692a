/// The options that choose the account and the issuer of a command's tokens.
struct SignInArguments: OptionGroup {
    /// The user principal name; nil for the account that signed in last.
    @Option("account", "NAME", "The account, by its user principal name.", as: .nonempty) var username: String?
    @Option("tenant", "TENANT", "The tenant's id or domain (default: AZURE_TENANT_ID).", as: .nonempty)
    private var tenant: String?
    @Option("client-id", "ID", "The application's id (default: AZURE_CLIENT_ID).", as: .nonempty)
    private var givenClientID: String?
    @Option(
        "cloud", "NAME",
        "The cloud: \(Cloud.all.map(\.name).joined(separator: ", ")).\nWithout it, the cloud of AZURE_AUTHORITY_HOST.",
        as: .named("cloud", among: Cloud.all.map(\.name)) { Cloud(named: $0) })
    private var cloud: Cloud?
    @Option(
        "settings", "FILE", "AuthSettings.plist or AuthSettings.json, with AppId and GraphScopes.",
        as: Conversion { path, _ in try AuthSettings(contentsOf: path) })
    var settings: AuthSettings?
    private let environmentFile = EnvironmentFile()

    /// Shorter secrets are ordinary words for services that accept any secret.
    private static let shortestSecret = 16

    var clientID: String? { givenClientID ?? settings?.applicationID }

    func platform(_ console: Console) throws -> IdentityPlatform {
        try IdentityPlatform(
            environment: console.environment, tenant: tenant, cloud: cloud, transport: console.network)
    }

    /// Whether the environment has an application's own credential.
    static func isApplication(_ environment: [String: String]) -> Bool {
        ["AZURE_CLIENT_SECRET", "AZURE_CLIENT_CERTIFICATE_PATH", "AZURE_FEDERATED_TOKEN_FILE"].contains {
            !(environment[$0] ?? "").isEmpty
        }
    }

    static func cache(_ console: Console) -> TokenCache {
        .shared(environment: console.environment) { console.complain("warning: \($0)") }
    }

    /// Access to a new sandbox if the option asks for one, otherwise to Microsoft Graph.
    func access(_ console: Console, in option: SandboxOption) throws -> GraphAccess {
        guard let sandbox = option.sandbox else { return try access(console) }
        return GraphAccess(
            graph: .forSandbox(sandbox), credential: FixedCredential(AccessToken(sandbox.accessToken)))
    }

    /// Access to Microsoft Graph with a token from the environment, otherwise of the signed-in account.
    func access(_ console: Console) throws -> GraphAccess {
        let environment = console.environment
        let hasToken = !(environment["GRAPHFLOW_ACCESS_TOKEN"] ?? "").isEmpty
        let platform = hasToken ? nil : try platform(console)
        // Probing for a managed identity is slow, so it is only done if the environment announces one.
        let isApp = !(environment["IDENTITY_ENDPOINT"] ?? "").isEmpty
        let sources: [DefaultCredential.Source] =
            [.environment, .workloadIdentity] + (isApp ? [.managedIdentity] : []) + [.signedInAccount]
        // A service can return the secrets of its client.
        for name in ["AZURE_CLIENT_SECRET", "AZURE_CLIENT_CERTIFICATE_PASSWORD"] {
            guard let secret = environment[name], secret.utf8.count >= Self.shortestSecret else { continue }
            console.secrets.add(.string(secret), of: [name])
        }
        // No other credential may replace a named account.
        let source = try DefaultCredential(
            environment: environment, sources: username == nil ? sources : [.signedInAccount],
            cache: Self.cache(console), on: platform, username: username, clientID: clientID)
        let credential = SearchedGrants(source, by: console.secrets)
        let isGraphGiven = !(environment["GRAPHFLOW_GRAPH_URL"] ?? "").isEmpty
        let graphURL = isGraphGiven ? nil : (cloud ?? platform?.authority.cloud)?.graphURL
        let graph = GraphClient(
            credential: credential, baseURL: graphURL, transport: console.network, environment: environment)
        let base = try graph.baseURL
        if let authority = platform?.authority, authority.isLoopback, Origin(base)?.isLoopback == false {
            throw CredentialError(
                .misconfigured,
                "A token of \(authority.environment), which is this machine, must not go to \(base.host() ?? ""). Set "
                    + "\(Cloud.graphVariable) to the address that 'graphflow sandbox' prints, or unset "
                    + "\(Authority.variable).")
        }
        return GraphAccess(graph: graph, credential: credential)
    }
}

/// Microsoft Graph, and the credential that its requests carry.
struct GraphAccess: Sendable {
    let graph: GraphClient
    let credential: any GrantingCredential
}

extension Conversion<String> {
    fileprivate static var nonempty: Conversion {
        Conversion({ $0.isEmpty ? nil : $0 }) { _, name in
            UsageError("'\(name)' needs a value that is not empty")
        }
    }
}
