/// The hosts that calls may reach without encryption, in addition to this machine, such as services in a cluster.
package struct PlainHosts: Sendable, Hashable {
    private var hosts: Set<HostName>

    package static let none = PlainHosts([])

    package init(_ names: some Sequence<String>) { hosts = Set(names.filter(Self.isHost).map { HostName($0) }) }

    package func union(_ other: PlainHosts) -> PlainHosts {
        var all = self
        all.hosts.formUnion(other.hosts)
        return all
    }

    package func allow(_ origin: Origin) -> Bool { origin.isPrivate || hosts.contains(origin.host) }

    package static func isHost(_ text: String) -> Bool {
        let host = HostName(text)
        let allowed = host.name.contains(":") ? "0123456789abcdef:." : "abcdefghijklmnopqrstuvwxyz0123456789-_."
        return !host.name.isEmpty && host.name.allSatisfy { allowed.contains($0) }
            && (!host.name.contains(":") || host.name.split(separator: ":").count > 1)
    }
}
