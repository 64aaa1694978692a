/// What a request is sent to, as people write it: a path with or without its version, or a whole address.
package struct GraphTarget: Sendable {
    /// The path after the version, without its query; `{…}` stands for an unknown value.
    package let path: String
    package var query: GraphQuery
    /// The path with its query.
    package let text: String
    /// Whether it was given with Graph's host, and with the version v1.0.
    package let isWholeAddress: Bool

    private static let hosts = ["https://graph.microsoft.com:443/", "https://graph.microsoft.com/"]
    private static let version = "v1.0/"

    /// Nil for an address elsewhere.
    package init?(_ given: some StringProtocol) {
        var rest = Substring(given)
        let host = Self.hosts.first { rest.hasPrefix($0) }
        rest = rest.dropFirst(host?.count ?? 0).drop { $0 == "/" }
        let hasVersion = rest.hasPrefix(Self.version)
        if hasVersion { rest = rest.dropFirst(Self.version.count) }
        guard !rest.contains("://") else { return nil }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        (path, text) = (String(parts.first ?? ""), "/\(rest)")
        query = GraphQuery(parts.count > 1 ? parts[1] : "")
        isWholeAddress = host != nil && hasVersion
    }
}
