/// A Microsoft cloud: its sign-in host and its Microsoft Graph.
///
/// Tokens of one cloud are not valid in another. Personal accounts exist in the global cloud only.
public struct Cloud: Sendable, Hashable {
    /// The name for `--cloud`.
    public let name: String
    /// The sign-in host, such as `login.microsoftonline.com`.
    public let authorityHost: String
    /// The URL of Microsoft Graph with its version.
    public let graphURL: URL
    let aliases: Set<String>

    private init(_ name: String, _ authorityHost: String, graph: String, aliases: Set<String>) {
        self.name = name
        self.authorityHost = authorityHost
        graphURL = URL(string: "https://\(graph)/v1.0") ?? URL(filePath: "/")
        self.aliases = aliases
    }

    /// The global cloud.
    public static let global = Cloud(
        "global", "login.microsoftonline.com", graph: "graph.microsoft.com",
        aliases: ["azurecloud", "public", "login.windows.net", "login.microsoft.com", "sts.windows.net"])
    /// The cloud of the US government, level 4.
    public static let usGovernment = Cloud(
        "usgov", "login.microsoftonline.us", graph: "graph.microsoft.us",
        aliases: ["azureusgovernment", "login.usgovcloudapi.net"])
    /// The cloud of the US government, level 5 (Department of Defense).
    public static let usGovernmentDoD = Cloud(
        "usgov-dod", "login.microsoftonline.us", graph: "dod-graph.microsoft.us", aliases: [])
    /// The cloud in China, operated by 21Vianet.
    public static let china = Cloud(
        "china", "login.partner.microsoftonline.cn", graph: "microsoftgraph.chinacloudapi.cn",
        aliases: ["azurechinacloud", "login.chinacloudapi.cn"])

    /// The environment variable with the URL of another Microsoft Graph.
    package static let graphVariable = "GRAPHFLOW_GRAPH_URL"

    /// Every cloud.
    public static let all = [global, usGovernment, usGovernmentDoD, china]

    /// The cloud with this name, or with the Azure CLI's name for it; nil if there is none.
    public init?(named name: String) {
        let name = name.lowercased()
        guard let cloud = Self.all.first(where: { $0.name == name || $0.aliases.contains(name) }) else { return nil }
        self = cloud
    }

    package var resource: String { "https://\(graphURL.host() ?? "")" }

    static func environments(of host: String) -> Set<String> {
        let cloud = all.first { $0.authorityHost == host || $0.aliases.contains(host) }
        guard let cloud else { return [host] }
        return cloud.aliases.union([cloud.authorityHost])
    }
}
