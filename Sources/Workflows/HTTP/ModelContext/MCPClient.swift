/// A client of the Model Context Protocol: the messages of one call, and what the answers to them mean.
package struct MCPClient: Sendable {
    /// The methods that a workflow can call.
    package enum Method: String, Sendable, CaseIterable {
        case listTools = "tools/list"
        case callTool = "tools/call"
        case listPrompts = "prompts/list"
        case getPrompt = "prompts/get"
        case listResources = "resources/list"
        case readResource = "resources/read"
        case listTemplates = "resources/templates/list"

        /// The parameter that names what the call is about; nil for a list.
        package var subject: String? {
            switch self {
            case .callTool, .getPrompt: "name"
            case .readResource: "uri"
            case .listTools, .listPrompts, .listResources, .listTemplates: nil
            }
        }
    }

    package let version: MCPVersion
    /// The name and the version of the client.
    private let info: Value

    package init(_ version: MCPVersion, info: Value) { (self.version, self.info) = (version, info) }

    /// The messages of a call in their order; the last one is the request itself.
    ///
    /// The ids are the same in each call, so that a plan has the bytes of the run.
    package func messages(of method: Method, _ parameters: Value) -> [RPCMessage] {
        guard version.isStateless else {
            return [
                .request(
                    id: 1, method: "initialize",
                    params: [
                        "protocolVersion": .string(version.rawValue), "capabilities": [:], "clientInfo": info,
                    ]),
                .notification(method: "notifications/initialized", params: [:]),
                .request(id: 2, method: method.rawValue, params: parameters),
            ]
        }
        // A plan may not know the parameters.
        guard var params = parameters.object else {
            return [.request(id: 1, method: method.rawValue, params: parameters)]
        }
        var meta = params["_meta"]?.object ?? [:]
        meta[MCPName.version] = .string(version.rawValue)
        meta[MCPName.client] = info
        meta[MCPName.capabilities] = [:]
        params["_meta"] = .object(meta)
        return [.request(id: 1, method: method.rawValue, params: .object(params))]
    }

    /// Checks the answer to `initialize`; the reason if the server cannot be called.
    package func problem(ofInitialization result: Value) -> String? {
        guard let agreed = result["protocolVersion"]?.string else { return "did not say which version it speaks" }
        guard agreed != version.rawValue else { return nil }
        let shown = PlainText.line(agreed, limit: 50)
        guard let known = MCPVersion(rawValue: agreed) else {
            return "speaks version \(shown) of the protocol, and graphflow does not: a newer server is needed"
        }
        return "speaks version \(shown) of the protocol: write 'protocolVersion: \(known.rawValue)'"
    }

    private static let unanswerable = "the server wants to ask a person or a model, and a workflow cannot answer"
    private static let refusal = RPCError(.method, "graphflow answers no requests of servers but 'ping'")

    /// The answer to a request of the server.
    package static func answer(toRequest method: String) -> Result<Value, RPCError> {
        method == "ping" ? .success([:]) : .failure(refusal)
    }

    /// What an error of a server means for the author of a call; nil if its message says it.
    package static func hint(for error: RPCError) -> String? {
        // A server often gives the error that it was answered as its own.
        guard !error.message.contains(refusal.message) else { return unanswerable }
        switch error.code {
        case .method: return "the server has no such method in this version: check 'method' and 'protocolVersion'"
        case .params: return "check 'parameters': the server lists what it takes"
        case .missingCapability: return unanswerable
        case .unsupportedVersion, .headerMismatch:
            let names = (error.data?["supported"]?.array ?? []).compactMap(\.string)
            guard let known = MCPVersion.allCases.last(where: { names.contains($0.rawValue) }) else { return nil }
            return "write 'protocolVersion: \(known.rawValue)'"
        default: return nil
        }
    }
}
