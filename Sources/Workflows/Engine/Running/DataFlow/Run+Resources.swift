/// The external resources of a task or workflow (specification: dsl-reference.md, "External Resource").
extension Run {
    /// The compiled schema; nil for a network schema that a plan has not read.
    func compiled(_ schema: Schema) -> JSONSchema? { schema.compiled ?? schemas.withLock { $0[schema.pointer] } }

    /// Reads the schemas on the network that are not read yet; nil if there are none.
    func read(_ needed: [Schema], input: Value, scope: Scope) throws -> Promise<Void>? {
        let missing = needed.filter { compiled($0) == nil }
        guard !missing.isEmpty else { return nil }
        return when(
            fulfilled: try missing.map { schema -> Promise<Void> in
                guard let resource = schema.resource else { return .value(()) }
                return try read(resource, input: input, scope: scope) { bytes, address in
                    try Self.schema(bytes, address)
                }.done(on: nil) { compiled in self.schemas.withLock { $0[schema.pointer] = compiled } }
            }
        ).asVoid()
    }

    /// The text of a script on the network, unknown in a plan that reads nothing; nil for any other script.
    func scriptText(of process: Workflow.Process, _ task: ActiveTask) throws -> Promise<Value>? {
        guard case .script(_, .resource(let resource), _) = process.kind,
            case .network(let url) = try address(of: resource, task.input, task.scope)
        else { return nil }
        return try read(resource, input: task.input, scope: task.scope) { bytes, address in
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw WorkflowError(.configuration, detail: "'\(address)' is not a script: it is not UTF-8")
            }
            return .string(text)
        }.map(on: nil) { (text: Value?) -> Value in
            guard text == nil, UnknownTokens.isIn(url.absoluteString) else {
                return text ?? .unknown(Unknown("\(Drawing.name(task.name)).source", .text))
            }
            throw WorkflowError(
                .runtime, detail: "the address of the script depends on values that are only known at run time")
        }
    }

    var plainHosts: PlainHosts { workflow.plainHosts.union(PlainHosts(runner.access.plainHosts)) }

    func address(of resource: ExternalResource, _ input: Value, _ scope: Scope) throws -> ResourceAddress {
        try ResourceAddress(try text(of: resource.endpoint, input, scope), files: files, plainHosts: plainHosts)
    }

    func address(of source: FunctionSource, _ input: Value, _ scope: Scope) throws -> ResourceAddress {
        try ResourceAddress(
            source.location(at: try text(of: source.endpoint, input, scope)), files: files,
            plainHosts: plainHosts)
    }

    private func text(of endpoint: Endpoint, _ input: Value, _ scope: Scope) throws -> String {
        let value = sent(try address(of: endpoint, input, scope))
        guard let text = (value["uri"] ?? value).string else {
            throw WorkflowError(
                .expression, detail: "an address must be a string, but this is \(value.described)",
                instance: scope.task?.task.reference)
        }
        return text
    }

    private func read<Resource: Sendable>(
        _ resource: ExternalResource, input: Value, scope: Scope,
        _ make: @escaping @Sendable (_ bytes: Data, _ address: String) throws -> Resource
    ) throws -> Promise<Resource?> {
        try read(resource, at: try address(of: resource, input, scope), input: input, scope: scope, make)
    }

    /// Reads what is at an address with the authentication of a resource, once in a run.
    func read<Resource: Sendable>(
        _ resource: ExternalResource, at address: ResourceAddress, input: Value, scope: Scope,
        _ make: @escaping @Sendable (_ bytes: Data, _ address: String) throws -> Resource
    ) throws -> Promise<Resource?> {
        let place = scope.owner.task
        var graph = runner.graph
        graph.task = place == .root ? nil : place
        var context = FunctionContext(graph: graph, files: files)
        context.plainHosts = plainHosts
        context.resourceAuthorization =
            try authorization(resource.endpoint.authentication, input: input, scope: scope)?.http ?? .none
        return resources.resource(at: address, context) { try make($0, address.shown) }
            .recover(on: nil) { error -> Promise<Resource?> in
                throw WorkflowError(error, at: place).marking(input)
            }
    }

    private static func schema(_ bytes: Data, _ address: String) throws -> JSONSchema {
        let why: String
        do {
            return try JSONSchema(try Document(data: bytes, name: address).value)
        } catch let error as JSONSchemaError {
            why = (error.schema == .root ? "" : "at '\(error.schema)': ") + error.message
        } catch let error as ReadingError {
            why = error.diagnostics.map(\.message).joined(separator: "; ")
        }
        throw WorkflowError(.configuration, detail: "the schema at '\(address)' cannot be used: \(why)")
    }
}
