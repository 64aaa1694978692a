package import Foundation

extension GraphClient {
    /// The plan that the client's requests become a part of; nil where they are sent.
    package var plan: PlanningTransport? { transport as? PlanningTransport }

    /// What the examples of a call are named after, so that no two calls of a plan have a symbol in common.
    package func symbol(_ name: String) -> String { plan?.symbol(name) ?? name }
}

extension ByteSource {
    /// Whether a text in memory holds what a plan does not know yet.
    var holdsSymbol: Bool {
        guard case .memory(let bytes) = self else { return false }
        return bytes.range(of: Data("‹".utf8)) != nil
    }
}

extension Blob {
    /// Bytes that only the service knows: a plan's example of them, under a symbol.
    package static func unknown(_ name: String, example: Data) -> Blob {
        Blob(.memory(example), hash: "‹\(name)›", contentType: "‹\(name).contentType›")
    }

    /// The name of the symbol that it goes by; nil for bytes that are known.
    var symbolName: String? { hash.hasPrefix("‹") ? String(hash.dropFirst().dropLast()) : nil }
}
