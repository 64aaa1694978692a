/// A version of the Model Context Protocol.
package enum MCPVersion: String, Sendable, CaseIterable {
    case june2025 = "2025-06-18"
    case november2025 = "2025-11-25"
    case july2026 = "2026-07-28"

    /// Whether each request says everything about its client, so that nothing is agreed on first.
    package var isStateless: Bool { self == .july2026 }

    /// The newest version in which a client and a server agree on a version first.
    static let newestInitialized = november2025

    static var names: Value { .array(allCases.reversed().map { .string($0.rawValue) }) }
    /// Those that a request can name by itself.
    static var stateless: Value { .array(allCases.filter(\.isStateless).map { .string($0.rawValue) }) }
}

/// The names of members that the protocol reserves.
enum MCPName {
    static let version = "io.modelcontextprotocol/protocolVersion"
    static let capabilities = "io.modelcontextprotocol/clientCapabilities"
    static let client = "io.modelcontextprotocol/clientInfo"
    static let server = "io.modelcontextprotocol/serverInfo"
}

extension RPCError.Code {
    /// The header fields of a request differ from its body.
    static let headerMismatch = RPCError.Code(rawValue: -32_020)
    /// The client has not declared what an answer needs.
    static let missingCapability = RPCError.Code(rawValue: -32_021)
    static let unsupportedVersion = RPCError.Code(rawValue: -32_022)
}
