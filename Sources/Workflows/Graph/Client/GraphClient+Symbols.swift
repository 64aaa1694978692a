package import Foundation

extension GraphClient {
    /// The plan that collects the client's requests; nil if they are sent.
    package var plan: PlanningTransport? { transport as? PlanningTransport }

    /// The name for the unknowns of a call, which no other call of the plan has.
    package func symbol(_ name: String) -> String { plan?.symbol(name) ?? name }
}

extension ByteSource {
    /// Whether a text in memory contains an unknown.
    var holdsSymbol: Bool {
        guard case .memory(let bytes) = self else { return false }
        return bytes.range(of: Data("‹".utf8)) != nil
    }
}

extension Blob {
    /// Bytes that only the service knows: an example for a plan, with the unknown's name.
    package static func unknown(_ name: String, example: Data) -> Blob {
        Blob(.memory(example), hash: "‹\(name)›", contentType: "‹\(name).contentType›")
    }

    /// The unknown's name; nil for bytes that are known.
    var symbolName: String? { hash.hasPrefix("‹") ? String(hash.dropFirst().dropLast()) : nil }
}
