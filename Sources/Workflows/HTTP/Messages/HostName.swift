import Foundation

/// The host of an address, in lower case and without the brackets of IPv6.
package struct HostName: Sendable, Hashable, CustomStringConvertible {
    /// The host alone, as it is resolved.
    package let name: String

    /// Reads a host, with brackets or without.
    package init(_ text: some StringProtocol) {
        let text = text.lowercased()
        name = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
    }

    /// The host of an address; empty where it has none.
    init(of url: URL) { self.init(url.host(percentEncoded: false) ?? "") }

    /// The host as an address has it.
    package var description: String { name.contains(":") ? "[\(name)]" : name }

    /// The four numbers of an address of IPv4; nil for any other host.
    var numbers: [UInt8]? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt8($0) : nil }
        return parts.count == 4 && numbers.count == 4 ? numbers : nil
    }

    /// Whether this is the machine itself by its name alone, whatever a name server says: `localhost`, 127.0.0.0/8, ::1.
    package var isLoopback: Bool { name == "localhost" || name == "::1" || numbers?.first == 127 }

    /// Whether a service of the machine itself can be there: at a loopback address, or a link-local one (RFC 3927).
    package var isOfTheMachine: Bool { isLoopback || numbers?.starts(with: [169, 254]) == true }

    /// Whether what listens here is reached by this name: at 127.0.0.1 and ::1 alone.
    package var isServed: Bool { ["localhost", "127.0.0.1", "::1"].contains(name) }

    /// Whether a `Host` field names what listens here.
    /// - Parameter port: The port that it must name; nil for any or none.
    static func isServed(field: String, port: UInt16? = nil) -> Bool {
        let end = field.lastIndex(of: ":").flatMap { field[$0...].contains("]") ? nil : $0 } ?? field.endIndex
        let (host, rest) = (HostName(field[..<end]), field[end...])
        guard host.isServed, host.description == field[..<end].lowercased() else { return false }
        if let port { return rest == ":\(port)" }
        return rest.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
