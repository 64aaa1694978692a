/// A `call: mcp` with evaluated expressions (specification: dsl-reference.md, "MCP Call").
struct MCPCall: Sendable {
    enum Server: Sendable {
        case http(HTTPCall)
        case program(ChildProgram, FunctionPrograms)
    }

    /// How far a conversation has come.
    enum Phase: Sendable {
        /// The request itself has not been sent.
        case begun
        /// It was sent, and has no answer.
        case asked
        case answered
    }

    let client: MCPClient
    let server: Server
    let context: FunctionContext
    let method: MCPClient.Method
    private let parameters: Value
    private let limit: Duration?

    init(_ with: MCPParameters, _ context: FunctionContext) throws {
        guard let version = MCPVersion(rawValue: with.protocolVersion),
            let method = MCPClient.Method(rawValue: with.method)
        else {
            throw FunctionError(
                MCPCallSchema.unknown(with.protocolVersion), at: JSONPointer(["protocolVersion"]),
                hint: "write one of \(MCPCallSchema.versions.quoted)")
        }
        self.method = method
        parameters = with.parameters ?? [:]
        // Parameters that a plan does not know are one text.
        if parameters.string == nil, let problem = MCPCallSchema.problem(of: method, parameters) {
            throw FunctionError(problem.message, at: JSONPointer(["parameters"]), hint: problem.hint)
        }
        client = MCPClient(
            version, info: with.client ?? ["name": "graphflow", "version": .string(Graphflow.version)])
        limit = try with.timeout.flatMap { value throws(FunctionError) in
            guard !UnknownTokens.isIn(value.string ?? "") else { return nil }
            guard let limit = Duration(value) else {
                throw FunctionError(
                    "is not a duration", at: JSONPointer(["timeout"]),
                    hint: "write 'PT30S' or an object such as { seconds: 30 }")
            }
            return limit
        }
        server = try Self.server(with.transport, context)
        var context = context
        if limit != nil {
            // The limit is that of the whole call, which a run measures itself.
            let each = context.graph.plan == nil ? nil : limit
            (context.patience, context.graph.patience.timeout) = (each, each)
        }
        self.context = context
    }

    private static func server(_ transport: Value, _ context: FunctionContext) throws -> Server {
        switch (transport["http"], transport["stdio"]) {
        case (let http?, nil):
            var call = try HTTPCall(
                .members([("method", "post"), ("endpoint", http["endpoint"]), ("headers", http["headers"])]),
                blobs: context.blobs, plan: context.graph.plan, plainHosts: context.plainHosts)
            // An answer is read as it is; none of it goes to a file.
            call.output = .raw
            return .http(call)
        case (nil, let stdio?):
            guard let programs = context.programs else {
                throw FunctionError("a program can only be started by a run", at: JSONPointer(["transport"]))
            }
            return .program(try program(stdio, programs), programs)
        default:
            throw FunctionError("must have either 'http' or 'stdio'", at: JSONPointer(["transport"]))
        }
    }

    private static func program(_ stdio: Value, _ programs: FunctionPrograms) throws -> ChildProgram {
        let command = stdio["command"]?.string ?? ""
        let environment = stdio["environment"] ?? [:]
        var program = try programs.program(command, environment.object ?? [:])
        program.arguments = [command]
        // In a plan, an unknown list is one text.
        for argument in stdio["arguments"].map({ $0.array ?? [$0] }) ?? [] {
            program.arguments.append(argument.processText)
        }
        guard !program.arguments.contains(where: { $0.utf8.contains(0) }) else {
            throw FunctionError(
                "contains a null character, which cannot be passed to a program",
                at: JSONPointer(["transport", "stdio"]))
        }
        program.shown = program.arguments
        program.start.code = .string(command)
        program.start.arguments = stdio["arguments"] ?? []
        program.start.environment = environment
        return program
    }

    // MARK: - What it does

    /// What the call does: as its task declares, as the tool's annotations say, or as is usual for its method.
    func effect() -> Promise<Idempotency> {
        switch context.declaredEffect {
        case .read: .value(.read)
        case .idempotent: .value(.idempotent)
        case .once: .value(.once)
        case .annotations where method == .callTool: annotatedEffect()
        case .annotations, nil: .value(method.usualEffect)
        }
    }

    /// The effect that the server's list says; a tool that its first page does not have must happen once.
    private func annotatedEffect() -> Promise<Idempotency> {
        converse(.listTools, [:], .read).map(on: nil) { result in
            let tool = (result["tools"]?.array ?? []).first { $0["name"] == parameters["name"] }
            guard let annotations = tool?["annotations"] else { return .once }
            if annotations["readOnlyHint"] == true { return .read }
            return annotations["idempotentHint"] == true ? .idempotent : .once
        }
    }

    /// The effects of a call that does this, with the program that it starts.
    func effects(_ effect: Idempotency) -> [Effect] {
        let own = consequences(of: method, effect)
        if case .program(let program, _) = server { return [program.effect] + own }
        return own
    }

    func consequences(of method: MCPClient.Method, _ effect: Idempotency) -> [Effect] {
        guard effect != .read else { return [] }
        let tool = method == .callTool ? parameters["name"] ?? .null : .null
        return [Effect(.tool(server: .string(place), tool: tool))].of(effect)
    }

    /// The server's host, or the name of its program.
    private var place: String {
        switch server {
        case .http(let call): call.request.url.host() ?? ""
        case .program(let program, _): program.path.split(separator: "/").last.map(String.init) ?? program.path
        }
    }

    /// The server in messages.
    var title: String { "the MCP server '\(PlainText.exact(place, limit: 200))'" }

    /// What the call is about in messages.
    var tool: String {
        let name = parameters["name"]?.string ?? ""
        return method == .callTool ? "the tool '\(PlainText.exact(name, limit: 200))'" : "'\(method.rawValue)'"
    }

    /// What a call of this method is about, as a header field has it.
    func subject(of method: MCPClient.Method) -> String? {
        guard let name = method.subject else { return nil }
        guard let plan = context.graph.plan else { return parameters[name]?.string.map(MCPClient.field) }
        let text = parameters[name]?.string ?? parameters.string ?? ""
        guard UnknownTokens.isIn(text), !UnknownTokens.isOne(text) || parameters.string != nil else {
            return MCPClient.field(text)
        }
        // Only a run knows how the whole text is written.
        return plan.unknowns.token(for: Unknown("mcp.\(name)", .text))
    }

    // MARK: - The call

    func perform(_ effect: Idempotency) -> Promise<Value> {
        converse(method, parameters, effect).map(on: nil) { result in
            try check(result)
            return result
        }
    }

    private func converse(
        _ method: MCPClient.Method, _ parameters: Value, _ effect: Idempotency
    ) -> Promise<Value> {
        let messages = client.messages(of: method, parameters)
        switch server {
        case .http(let call): return post(messages, to: call, of: method, effect)
        case .program(let program, let programs): return talk(messages, to: program, programs, of: method, effect)
        }
    }

    /// The conversation, which ends with an error if it takes too long.
    ///
    /// Each request over HTTP has its own limit unless the call has one.
    func limited(_ answer: Promise<Value>) -> Promise<Value> {
        var limit = limit
        if case .program = server { limit = limit ?? context.graph.patience.timeout ?? context.patience }
        guard context.graph.plan == nil, let limit else { return answer }
        return answer.timeout(limit, clock: context.graph.clock).recover(on: nil) { error -> Promise<Value> in
            guard case PromiseError.timedOut = error else { throw error }
            throw WorkflowError(
                .timeout,
                detail: "\(title) did not answer within \(limit.words): give the call a longer 'timeout'")
        }
    }

    /// Reports what became of effects.
    func tell(_ effects: [Effect], _ state: Effect.State) {
        guard context.graph.plan == nil else { return }
        for effect in effects {
            context.graph.onEvent(
                GraphEvent(operation: "mcp", task: context.graph.task, kind: .effect(effect, state)))
        }
    }
}
