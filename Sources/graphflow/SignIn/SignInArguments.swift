import Essentials
import Workflows

/// The options that choose the account and the issuer of a command's tokens.
struct SignInArguments: Sendable {
    /// The options, for a command to list.
    static let options = [
        Option(name: "account", argument: .required("NAME"), help: "The account, by its user principal name."),
        Option(
            name: "tenant", argument: .required("TENANT"),
            help: "The tenant's id or domain (default: AZURE_TENANT_ID)."),
        Option(name: "client-id", argument: .required("ID"), help: "The application's id (default: AZURE_CLIENT_ID)."),
        Option(
            name: "cloud", argument: .required("NAME"),
            help: "The cloud: \(Cloud.all.map(\.name).joined(separator: ", ")).\n"
                + "Without it, the cloud of AZURE_AUTHORITY_HOST."),
        Option(
            name: "settings", argument: .required("FILE"),
            help: "AuthSettings.plist or AuthSettings.json, with AppId and GraphScopes."),
        EnvironmentFile.option,
    ]

    /// Shorter ones are words that somebody gave to a service that takes any.
    private static let shortestSecret = 16

    /// The user principal name; nil for the account that signed in last.
    let username: String?
    /// The application's id from the option or the settings.
    let clientID: String?
    /// The settings file.
    let settings: AuthSettings?
    private let tenant: String?
    private let cloud: Cloud?

    init(_ arguments: ParsedArguments) throws {
        username = arguments.value("account")
        tenant = arguments.value("tenant")
        settings = try arguments.value("settings").map { try AuthSettings(contentsOf: $0) }
        let given = arguments.value("client-id")
        for (option, value) in [("account", username), ("tenant", tenant), ("client-id", given)] where value == "" {
            throw UsageError("'--\(option)' needs a value that is not empty")
        }
        clientID = given ?? settings?.applicationID
        cloud = try arguments.value("cloud").map { name throws(UsageError) in
            guard let cloud = Cloud(named: name) else {
                let names = Cloud.all.map(\.name)
                throw UsageError(
                    "there is no cloud '\(name)'",
                    hint: Diagnostic.didYouMean(name, among: names) ?? "choose one of \(names.joined(separator: ", "))")
            }
            return cloud
        }
    }

    /// No options: only the environment counts.
    static let none = SignInArguments()

    private init() { (username, clientID, settings, tenant, cloud) = (nil, nil, nil, nil, nil) }

    /// The issuer of the tokens.
    func platform(_ environment: [String: String]) throws -> IdentityPlatform {
        try IdentityPlatform(environment: environment, tenant: tenant, cloud: cloud)
    }

    /// The tokens of this machine's user.
    static func cache(_ console: Console) -> TokenCache {
        .shared(environment: console.environment) { console.complain("warning: \($0)") }
    }

    /// Access to a sandbox if there is a profile, otherwise to Microsoft Graph.
    func access(_ console: Console, in profile: Sandbox.Profile?) throws -> GraphAccess {
        guard let profile else { return try access(console) }
        let sandbox = Sandbox(profile: profile)
        return GraphAccess(
            graph: .forSandbox(sandbox), credential: FixedCredential(AccessToken(sandbox.accessToken)))
    }

    /// Access to Microsoft Graph with a token from the environment, or otherwise of the signed-in account.
    func access(_ console: Console) throws -> GraphAccess {
        let environment = console.environment
        let hasToken = !(environment["GRAPHFLOW_ACCESS_TOKEN"] ?? "").isEmpty
        let platform = hasToken ? nil : try platform(environment)
        // Probing for a managed identity is slow, so it is only done where the environment announces one.
        let isApp = !(environment["IDENTITY_ENDPOINT"] ?? "").isEmpty
        let sources: [DefaultCredential.Source] =
            [.environment, .workloadIdentity] + (isApp ? [.managedIdentity] : []) + [.signedInAccount]
        // A service can return what a client signs in with.
        for name in ["AZURE_CLIENT_SECRET", "AZURE_CLIENT_CERTIFICATE_PASSWORD"] {
            guard let secret = environment[name], secret.utf8.count >= Self.shortestSecret else { continue }
            console.secrets.add(.string(secret), of: [name])
        }
        // A named account must not be replaced by another credential.
        let source = try DefaultCredential(
            environment: environment, sources: username == nil ? sources : [.signedInAccount],
            cache: Self.cache(console), on: platform, username: username, clientID: clientID)
        let credential = SearchedGrants(source, by: console.secrets)
        let isGraphGiven = !(environment["GRAPHFLOW_GRAPH_URL"] ?? "").isEmpty
        let graphURL = isGraphGiven ? nil : (cloud ?? platform?.authority.cloud)?.graphURL
        let graph = GraphClient(credential: credential, baseURL: graphURL, environment: environment)
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
