package import Foundation

/// Whom a request reaches, as scheme, host and port; a token goes to one of them only.
package struct Origin: Sendable, Hashable, CustomStringConvertible {
    private let scheme: String
    private let host: String
    private let port: Int

    /// The origin of an absolute `http` or `https` address; nil for every other one.
    package init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), let host = url.host(percentEncoded: false)?.lowercased(),
            !host.isEmpty
        else { return nil }
        switch scheme {
        case "https": port = url.port ?? 443
        case "http": port = url.port ?? 80
        default: return nil
        }
        self.scheme = scheme
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    }

    /// Whether what is sent stays on this machine.
    package var isLoopback: Bool {
        if host == "localhost" || host == "::1" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil)
    }

    /// Whether nobody on the way can read along: encrypted, or not leaving this machine.
    package var isPrivate: Bool { scheme == "https" || isLoopback }

    /// The origin as an address without a path.
    package var description: String {
        let shown = host.contains(":") ? "[\(host)]" : host
        return port == (scheme == "https" ? 443 : 80) ? "\(scheme)://\(shown)" : "\(scheme)://\(shown):\(port)"
    }
}
