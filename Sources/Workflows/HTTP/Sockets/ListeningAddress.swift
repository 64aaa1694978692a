package struct ListeningAddress: Sendable, Hashable, CustomStringConvertible {
    /// Nil for 127.0.0.1 and ::1.
    let host: HostName?
    package let port: UInt16

    /// 127.0.0.1 and ::1, because `localhost` may mean either.
    package static func loopback(port: UInt16) -> ListeningAddress { ListeningAddress(host: nil, port: port) }

    private init(host: HostName?, port: UInt16) { (self.host, self.port) = (host, port) }

    /// Reads `ADDRESS:PORT`, with an IPv6 address in brackets, or only a port; nil for anything else.
    package init?(_ text: String) {
        let colon = text.lastIndex(of: ":")
        guard let port = UInt16(colon.map { text[text.index(after: $0)...] } ?? text[...]) else { return nil }
        let written = colon.map { text[..<$0] } ?? "localhost"
        let host = HostName(written)
        // IPv6 addresses need brackets, or their end would be read as a port.
        guard written.contains(":") == (written.first == "["),
            host.isServed || host.numbers != nil || host.address6 != nil
        else { return nil }
        self.init(host: host.isServed ? nil : host, port: port)
    }

    package var isLoopback: Bool { host?.isLoopback ?? true }

    package var description: String { "\(host?.description ?? "127.0.0.1"):\(port)" }

    package func at(port: UInt16) -> ListeningAddress { ListeningAddress(host: host, port: port) }
}

extension HostName {
    var address6: in6_addr? {
        var address = in6_addr()
        return unsafe inet_pton(AF_INET6, name, &address) == 1 ? address : nil
    }
}
