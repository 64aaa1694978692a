/// A URL's origin: scheme, host and port; a token is sent to one origin only.
package struct Origin: Sendable, Hashable, CustomStringConvertible {
    private let scheme: String
    package let host: HostName
    private let port: Int

    /// The origin of an absolute `http` or `https` URL; nil for any other, and for a non-ASCII host.
    package init?(_ url: URL) {
        let host = HostName(of: url)
        guard let scheme = url.scheme?.lowercased(), !host.name.isEmpty, host.isASCII else {
            return nil
        }
        switch scheme {
        case "https": port = url.port ?? 443
        case "http": port = url.port ?? 80
        default: return nil
        }
        self.scheme = scheme
        self.host = host
    }

    package var isLoopback: Bool { host.isLoopback }

    /// Whether requests cannot be read on the way: they are encrypted or stay on this machine.
    package var isPrivate: Bool { scheme == "https" || isLoopback }

    package var description: String {
        port == (scheme == "https" ? 443 : 80) ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }
}
