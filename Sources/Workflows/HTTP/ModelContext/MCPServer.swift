/// A server of the Model Context Protocol, over any transport, in all versions.
///
/// Specification: modelcontextprotocol.io/specification/2026-07-28, and the versions before it.
package struct MCPServer: Sendable {
    package typealias Handler = @Sendable (MCPExchange) throws -> Promise<MCPAnswer>

    /// How often an answer may need something more.
    private static let mostRounds = 16
    private static let listMethods: Set = [
        "server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read",
    ]

    private let info: Value
    private let instructions: String?
    private let capabilities: Object
    private let handlers: [String: Handler]

    /// - Parameters:
    ///   - name: The server's name.
    ///   - version: The server's version.
    ///   - instructions: What a model should know of the server; nil for nothing.
    ///   - capabilities: What the server declares.
    ///   - handlers: Answer the requests, by method.
    package init(
        name: String, version: String, instructions: String? = nil, capabilities: Object,
        handlers: [String: Handler]
    ) {
        info = ["name": .string(name), "version": .string(version)]
        (self.instructions, self.capabilities, self.handlers) = (instructions, capabilities, handlers)
    }

    /// Answers a request.
    /// - Returns: The result; rejected with ``RPCError`` or with the error of the handler.
    func answer(_ method: String, _ params: Value, in session: MCPSession) -> Promise<Value> {
        firstly { () throws -> Promise<Value> in
            guard let params = params.object else { throw RPCError(.params, "'params' must be an object") }
            switch method {
            case "initialize" where Self.isEarlier(params): return .value(try initialize(params, session))
            case "ping" where Self.isEarlier(params): return .value([:])
            default: break
            }
            let (version, capabilities) = try client(of: params, session)
            if method == "server/discover", version.isStateless { return .value(discovery) }
            guard let handler = handlers[method] else {
                throw RPCError(.method, "there is no method '\(PlainText.exact(method, limit: 100))'")
            }
            let exchange = MCPExchange(method, params, version, capabilities: capabilities, notify: session.notify)
            return perform(handler, exchange, session, round: 1)
        }
    }

    /// Refuses a request that cannot be answered whatever it is about; a transport can then say so in its own way.
    func check(_ method: String, _ params: Value, in session: MCPSession) throws(RPCError) {
        guard let params = params.object else { throw RPCError(.params, "'params' must be an object") }
        guard !["initialize", "ping"].contains(method) || !Self.isEarlier(params) else { return }
        let version = try client(of: params, session).version
        guard handlers[method] != nil || method == "server/discover" && version.isStateless else {
            throw RPCError(.method, "there is no method '\(PlainText.exact(method, limit: 100))'")
        }
    }

    /// Whether a request does not say its version, as in the versions that have `initialize` and `ping`.
    private static func isEarlier(_ params: Object) -> Bool { params["_meta"]?[MCPName.version] == nil }

    /// The version of a request, and what its client can do.
    private func client(
        of params: Object, _ session: MCPSession
    ) throws(RPCError) -> (version: MCPVersion, capabilities: Object) {
        let meta = params["_meta"]?.object
        guard let given = meta?[MCPName.version] else {
            if let agreed = session.agreed { return agreed }
            throw RPCError(.params, "'_meta' needs '\(MCPName.version)', or 'initialize' comes first")
        }
        let version = given.string.flatMap(MCPVersion.init)
        guard let version, version.isStateless else {
            throw RPCError(
                .unsupportedVersion,
                version == nil
                    ? "this version of the protocol is not supported"
                    : "in this version, a session begins with 'initialize'",
                data: ["supported": MCPVersion.stateless, "requested": given])
        }
        guard let capabilities = meta?[MCPName.capabilities]?.object else {
            throw RPCError(.params, "'_meta' needs '\(MCPName.capabilities)'")
        }
        return (version, capabilities)
    }

    private func initialize(_ params: Object, _ session: MCPSession) throws(RPCError) -> Value {
        guard let requested = params["protocolVersion"]?.string else {
            throw RPCError(.params, "'initialize' needs 'protocolVersion'")
        }
        let known = MCPVersion(rawValue: requested).flatMap { $0.isStateless ? nil : $0 }
        let version = known ?? .newestInitialized
        session.agree(version, params["capabilities"]?.object ?? [:])
        return .members([
            ("protocolVersion", .string(version.rawValue)), ("capabilities", .object(capabilities)),
            ("serverInfo", info), ("instructions", instructions.map(Value.string)),
        ])
    }

    private var discovery: Value {
        decorated(
            Object(
                [
                    ("supportedVersions", MCPVersion.names), ("capabilities", .object(capabilities)),
                ] + (instructions.map { [("instructions", .string($0))] } ?? [])), of: "server/discover")
    }

    private func perform(
        _ handler: @escaping Handler, _ exchange: MCPExchange, _ session: MCPSession, round: Int
    ) -> Promise<Value> {
        firstly { try handler(exchange) }.then { answer -> Promise<Value> in
            switch answer {
            case .result(let members):
                return .value(
                    exchange.version.isStateless ? decorated(members, of: exchange.method) : .object(members))
            case .needs(let requests, let state):
                try demand(requests, exchange)
                if exchange.version.isStateless {
                    return .value([
                        "resultType": "input_required", "inputRequests": .object(requests),
                        "requestState": .string(state), "_meta": .object([MCPName.server: info]),
                    ])
                }
                guard round < Self.mostRounds else { throw RPCError(.failure, "the answer needs too much") }
                return ask(requests.map { ($0.key, $0.value) }, exchange, session, [:]).then { responses in
                    perform(handler, exchange.answered(responses, state), session, round: round + 1)
                }
            }
        }
    }

    /// Fails if the client has not declared that it answers such requests.
    private func demand(_ requests: Object, _ exchange: MCPExchange) throws(RPCError) {
        for request in requests {
            let (question, needed): (MCPExchange.Question, Value) =
                switch request.value["method"]?.string {
                case "sampling/createMessage": (.sampling, ["sampling": [:]])
                case "roots/list": (.roots, ["roots": [:]])
                default:
                    request.value["params"]?["mode"] == "url"
                        ? (.url, ["elicitation": ["url": [:]]]) : (.form, ["elicitation": ["form": [:]]])
                }
            guard exchange.canAsk(question) else {
                throw RPCError(
                    .missingCapability, "the client cannot be asked for what this needs",
                    data: ["requiredCapabilities": needed])
            }
        }
    }

    /// Asks a client of an earlier version, one request after the other.
    private func ask(
        _ requests: [(name: String, request: Value)], _ exchange: MCPExchange, _ session: MCPSession, _ known: Object
    ) -> Promise<Object> {
        guard let (name, request) = requests.first else { return .value(known) }
        guard let ask = session.ask, let method = request["method"]?.string else {
            return Promise(error: RPCError(.failure, "this client cannot be asked here"))
        }
        var params = request["params"]?.object ?? [:]
        if exchange.version == .june2025 { params["mode"] = nil }
        return ask(method, .object(params)).then { response in
            var known = known
            known[name] = response
            return self.ask(Array(requests.dropFirst()), exchange, session, known)
        }
    }

    /// A result as the stateless versions have it.
    private func decorated(_ members: Object, of method: String) -> Value {
        var result: Object = ["resultType": "complete"]
        for (name, value) in members { result[name] = value }
        if Self.listMethods.contains(method) {
            // Files and plans change at any time.
            result["ttlMs"] = result["ttlMs"] ?? 0
            result["cacheScope"] = result["cacheScope"] ?? "private"
        }
        var meta = result["_meta"]?.object ?? [:]
        meta[MCPName.server] = info
        result["_meta"] = .object(meta)
        return .object(result)
    }
}

/// What a server knows of a client between its requests, and how it reaches the client during one.
final class MCPSession: Sendable {
    /// Sends a request to the client; nil where that is not possible.
    let ask: (@Sendable (_ method: String, _ params: Value) -> Promise<Value>)?
    let notify: @Sendable (_ method: String, _ params: Value) -> Void
    private let state: Locked<(version: MCPVersion, capabilities: Object)?>

    init(
        _ agreed: (version: MCPVersion, capabilities: Object)? = nil,
        ask: (@Sendable (_ method: String, _ params: Value) -> Promise<Value>)?,
        notify: @escaping @Sendable (_ method: String, _ params: Value) -> Void
    ) {
        (self.ask, self.notify, state) = (ask, notify, Locked(agreed))
    }

    /// What the client and the server agreed on; nil before that, and for requests that say it themselves.
    var agreed: (version: MCPVersion, capabilities: Object)? { state.withLock { $0 } }

    func agree(_ version: MCPVersion, _ capabilities: Object) { state.withLock { $0 = (version, capabilities) } }
}

extension MCPServer {
    /// Serves one client over two streams, until the first one ends.
    package func serve(
        input: Int32, output: Int32, limits: RPCConnection.Limits = RPCConnection.Limits()
    ) -> RPCConnection {
        let session = Locked<MCPSession?>(nil)
        return RPCConnection(
            input: input, output: output, .lines, limits: limits,
            answer: { method, params, connection in
                let known = session.withLock { known in
                    let session =
                        known
                        ?? MCPSession(
                            ask: { [weak connection] in
                                connection?.request($0, $1) ?? Promise(error: PromiseError.cancelled)
                            }, notify: { [weak connection] in connection?.notify($0, $1) })
                    known = session
                    return session
                }
                // Elsewhere, so that a long computation does not delay the next message.
                return Promise.value(()).then { answer(method, params, in: known) }
            },
            notified: { method, params, connection in
                guard method == "notifications/cancelled", let id = params["requestId"] else { return }
                connection.cancel(id)
            })
    }
}
