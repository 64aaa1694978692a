public import Foundation

/// A cloud of Microsoft's: where people sign in, and where its Microsoft Graph is.
///
/// Tokens of one cloud are worth nothing in another one. Personal accounts exist in the global cloud only.
public struct Cloud: Sendable, Hashable {
    /// The name for `--cloud`.
    public let name: String
    /// The host where people sign in, such as `login.microsoftonline.com`.
    public let authorityHost: String
    /// The address of Microsoft Graph with its version.
    public let graphURL: URL
    /// Other names of the cloud, and of its sign-in host.
    let aliases: Set<String>

    private init(_ name: String, _ authorityHost: String, graph: String, aliases: Set<String>) {
        self.name = name
        self.authorityHost = authorityHost
        graphURL = URL(string: "https://\(graph)/v1.0") ?? URL(filePath: "/")
        self.aliases = aliases
    }

    /// The cloud that nearly everybody uses.
    public static let global = Cloud(
        "global", "login.microsoftonline.com", graph: "graph.microsoft.com",
        aliases: ["azurecloud", "public", "login.windows.net", "login.microsoft.com", "sts.windows.net"])
    /// The cloud of the government of the United States, level 4.
    public static let usGovernment = Cloud(
        "usgov", "login.microsoftonline.us", graph: "graph.microsoft.us",
        aliases: ["azureusgovernment", "login.usgovcloudapi.net"])
    /// The cloud of the government of the United States, level 5 (Department of Defense).
    public static let usGovernmentDoD = Cloud(
        "usgov-dod", "login.microsoftonline.us", graph: "dod-graph.microsoft.us", aliases: [])
    /// The cloud in China, operated by 21Vianet.
    public static let china = Cloud(
        "china", "login.partner.microsoftonline.cn", graph: "microsoftgraph.chinacloudapi.cn",
        aliases: ["azurechinacloud", "login.chinacloudapi.cn"])

    /// The environment variable that says where Microsoft Graph is, where it is none of these.
    package static let graphVariable = "GRAPHFLOW_GRAPH_URL"

    /// Every cloud.
    public static let all = [global, usGovernment, usGovernmentDoD, china]

    /// The cloud of that name, as here or as the Azure CLI calls it; nil where there is none.
    public init?(named name: String) {
        let name = name.lowercased()
        guard let cloud = Self.all.first(where: { $0.name == name || $0.aliases.contains(name) }) else { return nil }
        self = cloud
    }

    /// What scopes of its Microsoft Graph begin with: `https://graph.microsoft.com`.
    package var resource: String { "https://\(graphURL.host() ?? "")" }

    /// The names under which a token cache may know a sign-in host.
    static func environments(of host: String) -> Set<String> {
        let cloud = all.first { $0.authorityHost == host || $0.aliases.contains(host) }
        guard let cloud else { return [host] }
        return cloud.aliases.union([cloud.authorityHost])
    }
}
