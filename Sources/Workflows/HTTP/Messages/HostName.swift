/// A URL's host, in lower case and without the brackets of IPv6.
package struct HostName: Sendable, Hashable, CustomStringConvertible {
    package let name: String

    package init(_ text: some StringProtocol) {
        let text = text.lowercased()
        name = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
    }

    init(of url: URL) { self.init(url.host(percentEncoded: false) ?? "") }

    /// Whether it can be looked up unchanged; other letters have a second form, which only some systems find.
    package var isASCII: Bool { name.utf8.allSatisfy { (0x21...0x7E).contains($0) } }

    /// As written in a URL.
    package var description: String { name.contains(":") ? "[\(name)]" : name }

    var numbers: [UInt8]? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        // '0127' is 127 to some programs and 87 to others.
        let numbers = parts.compactMap { part in UInt8(part).flatMap { "\($0)" == part ? $0 : nil } }
        return parts.count == 4 && numbers.count == 4 ? numbers : nil
    }

    /// Whether the name means this machine without a name server: `localhost`, 127.0.0.0/8, ::1.
    package var isLoopback: Bool { name == "localhost" || name == "::1" || numbers?.first == 127 }

    /// Whether it may be a service of this machine: a loopback address, or a link-local one (RFC 3927).
    package var isOfTheMachine: Bool { isLoopback || numbers?.starts(with: [169, 254]) == true }

    /// Whether it reaches this program's listeners, at 127.0.0.1 and ::1 only.
    package var isServed: Bool { ["localhost", "127.0.0.1", "::1"].contains(name) }

    /// Whether a `Host` field names a listener of this program.
    /// - Parameter port: The required port; nil for any or none.
    package static func isServed(field: String, port: UInt16? = nil) -> Bool {
        let end = field.lastIndex(of: ":").flatMap { field[$0...].contains("]") ? nil : $0 } ?? field.endIndex
        let (host, rest) = (HostName(field[..<end]), field[end...])
        guard host.isServed, host.description == field[..<end].lowercased() else { return false }
        if let port { return rest == ":\(port)" }
        return rest.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
