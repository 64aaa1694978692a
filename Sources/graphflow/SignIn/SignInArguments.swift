import Foundation
import Workflows

/// The options by which a command says whose tokens it wants, and from whom.
struct SignInArguments: Sendable {
    /// The options, for a command to list.
    static let options = [
        Option(name: "account", argument: .required("NAME"), help: "The account, by its user principal name."),
        Option(name: "tenant", argument: .required("TENANT"), help: "The tenant's id or domain; AZURE_TENANT_ID else."),
        Option(name: "client-id", argument: .required("ID"), help: "The application's id; AZURE_CLIENT_ID else."),
        Option(
            name: "cloud", argument: .required("NAME"),
            help: "The cloud: \(Cloud.all.map(\.name).joined(separator: ", ")); AZURE_AUTHORITY_HOST else."),
        Option(
            name: "settings", argument: .required("FILE"),
            help: "AuthSettings.plist or AuthSettings.json, with AppId and GraphScopes."),
    ]

    /// The user principal name; nil for who signed in last.
    let username: String?
    /// The application's id as an option or the settings give it.
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
                    hint: Diagnostic.didYouMean(name, among: names) ?? "there are \(names.joined(separator: ", "))")
            }
            return cloud
        }
    }

    /// Nothing but what the environment says.
    static let none = SignInArguments()

    private init() { (username, clientID, settings, tenant, cloud) = (nil, nil, nil, nil, nil) }

    /// Who issues the tokens.
    func platform(_ environment: [String: String]) throws -> IdentityPlatform {
        try IdentityPlatform(environment: environment, tenant: tenant, cloud: cloud)
    }

    /// The tokens of this machine's user.
    static func cache(_ console: Console) -> TokenCache {
        .shared(environment: console.environment) { console.complain("warning: \($0)") }
    }

    /// The way to Microsoft Graph with a token from the environment, else from who signed in.
    func access(_ console: Console) throws -> GraphAccess {
        let environment = console.environment
        let hasToken = !(environment["GRAPHFLOW_ACCESS_TOKEN"] ?? "").isEmpty
        let platform = hasToken ? nil : try platform(environment)
        // Asking whether this is a machine of Azure's takes a while: only where somebody says so.
        let isApp = !(environment["IDENTITY_ENDPOINT"] ?? "").isEmpty
        let sources: [DefaultCredential.Source] =
            [.environment, .workloadIdentity] + (isApp ? [.managedIdentity] : []) + [.signedInAccount]
        // An account that is named is meant, and not whoever else there is.
        let credential = try DefaultCredential(
            environment: environment, sources: username == nil ? sources : [.signedInAccount],
            cache: Self.cache(console), on: platform, username: username, clientID: clientID)
        let isGraphGiven = !(environment["GRAPHFLOW_GRAPH_URL"] ?? "").isEmpty
        let graphURL = isGraphGiven ? nil : (cloud ?? platform?.authority.cloud)?.graphURL
        let graph = GraphClient(credential: credential, baseURL: graphURL, environment: environment)
        _ = try graph.baseURL
        return GraphAccess(graph: graph, credential: credential)
    }
}

/// Microsoft Graph, and the credential that its requests carry.
struct GraphAccess: Sendable {
    let graph: GraphClient
    let credential: DefaultCredential
}
