/// The hosts that calls may reach without encryption, besides this machine: services inside a cluster, for instance.
package struct PlainHosts: Sendable, Hashable {
    private var hosts: Set<HostName>

    /// This machine only.
    package static let none = PlainHosts([])

    /// Creates it from names of hosts, or addresses; those that cannot be hosts are left out.
    package init(_ names: some Sequence<String>) { hosts = Set(names.filter(Self.isHost).map { HostName($0) }) }

    /// The hosts of both.
    package func union(_ other: PlainHosts) -> PlainHosts {
        var all = self
        all.hosts.formUnion(other.hosts)
        return all
    }

    /// Whether requests to an origin are encrypted, stay on this machine, or are allowed.
    package func allow(_ origin: Origin) -> Bool { origin.isPrivate || hosts.contains(origin.host) }

    /// Whether a text can be a host: a name or an address, without a scheme, a port or a path.
    package static func isHost(_ text: String) -> Bool {
        let host = HostName(text)
        let allowed = host.name.contains(":") ? "0123456789abcdef:." : "abcdefghijklmnopqrstuvwxyz0123456789-_."
        return !host.name.isEmpty && host.name.allSatisfy { allowed.contains($0) }
            && (!host.name.contains(":") || host.name.split(separator: ":").count > 1)
    }
}
