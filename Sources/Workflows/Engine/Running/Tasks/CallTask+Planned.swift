struct UnplannedCall: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

extension DryTaskPerformer {
    /// Plans a call with every kind of request that its unknown arguments lead to.
    func call(
        _ function: Function, _ given: Value, in context: FunctionContext, _ commitment: Commitment, _ task: ActiveTask
    ) -> Promise<Value> {
        if let known = run.memory(of: task.execution)?.call,
            let assumed = run.assumption(of: known, task, whenSent: function.assumedOutput)
        {
            return assumed
        }
        return firstly {
            try function.kinds?(given, context) ?? .value([PlannedArguments.Kind(words: nil, arguments: given)])
        }.then { kinds -> Promise<Value> in
            let planned = PlannedArguments(kinds, of: function)
            if planned.isCut {
                planner.noteGap("'\(task.name)' can make more kinds of requests than a plan can show")
            }
            if function.name == "sendMail", given["attachments"]?.unknown != nil {
                planner.noteGap(
                    "some attachments of '\(task.name)' may not fit into its message: "
                        + "their sizes are only known at run time")
            }
            let names = planner.unknowns.names
            typealias Results = (values: [Value], errors: [any Error])
            return repeating(Results([], [])) { results -> Promise<Step<Results, Value>> in
                let position = results.values.count + results.errors.count
                guard planned.kinds.indices.contains(position) else {
                    guard let first = results.values.first else { throw results.errors[0] }
                    if results.values.count > 1 { planner.unknowns.names = names }
                    return .value(
                        .done(results.values.dropFirst().reduce(first) { planner.join($0, $1, named: task.name) }))
                }
                let kind = planned.kinds[position]
                var context = context
                if let words = kind.words {
                    context.graph = context.graph.when(words, kind: position)
                }
                planner.unknowns.names = names
                return planOne(function, kind.arguments, in: context, commitment, task).map {
                    .again((results.values + [$0], results.errors))
                }.recover { error -> Promise<Step<Results, Value>> in
                    // What a custom function does with other values than a plan's is unknown.
                    let isSettled = !function.isCustom || !kind.arguments.holdsUnknown
                    guard !error.isCancelled, planned.kinds.count > 1, isSettled else { throw error }
                    return .value(.again((results.values, results.errors + [error])))
                }
            }
        }.map { result in
            guard function.isCustom else { return result }
            return .unknown(planner.unknown(task.name, Unknown.Shape(schema: function.output)))
        }
    }

    /// Plans a call of one kind with plain arguments; a custom function may do more than its requests.
    private func planOne(
        _ function: Function, _ given: Value, in context: FunctionContext, _ commitment: Commitment, _ task: ActiveTask
    ) -> Promise<Value> {
        let count = planner.transport.requests.count
        return function.prepare(planner.unknowns.plain(given), in: context).then(on: nil) {
            prepared -> Promise<Value> in
            try run.make(prepared, of: function, commitment, task, given)
        }.then { (result: Value) -> Promise<Value> in
            guard function.isCustom, function.effect != .read, given.holdsUnknown,
                planner.transport.requests.count == count
            else { return .value(result) }
            planner.noteGap("'\(task.name)' depends on values that are only known at run time")
            return noteUnknownRequest(of: function, task).map { result }
        }
    }

    /// Plans a call that fails only because its arguments are unknown, without its requests.
    func replace(
        _ call: Workflow.Call, of function: Function, after error: any Error, _ task: ActiveTask
    ) throws -> Promise<Outcome> {
        let reason: String
        if let error = error as? UnplannedCall {
            reason = error.reason
        } else {
            guard !error.isCancelled else { throw error }
            let error = WorkflowError(error, at: task.reference)
            guard readsUnknown(call, task) else { throw error }
            reason = error.reason
        }
        return noteUnknownRequest(of: function, as: call, task).map {
            planner.noteGap("the requests of '\(task.name)' are only known at run time: \(reason)")
            planner.note { $0.outcome = .unknown(reason) }
            let output = planner.unknown(task.name, Unknown.Shape(schema: function.output))
            return Outcome(value: .unknown(output), flow: task.then)
        }
    }

    /// Adds a request of which a plan knows only the function, its effect and its permissions.
    private func noteUnknownRequest(
        of function: Function, as call: Workflow.Call? = nil, _ task: ActiveTask
    ) -> Promise<Void> {
        let answer = planner.unknowns.answer("\(function.name).request")
        guard let url = URL(string: "https://\(answer("url", .text))") else { return .value(()) }
        let permissions = call.map { function.permissions(for: $0.literal) } ?? function.permissions
        var operation = HTTPOperation(
            name: function.name, task: task.reference,
            effect: call.flatMap { $0.effect(of: function, files: run.files) } ?? function.effect,
            scopes: permissions.delegated, example: HTTPResponse(status: 200))
        operation.applicationScopes = permissions.application
        operation.hasUnknownNeeds = function.requests != nil && permissions == Permissions()
        operation.occurrence = task.occurrence
        if operation.effect != .read { operation.consequences = [Effect(ofCall: function.name, operation.effect)] }
        return planner.transport.send(HTTPRequest(answer("method", .text), url), for: operation).asVoid()
    }

    private func readsUnknown(_ call: Workflow.Call, _ task: ActiveTask) -> Bool {
        if call.authentication == nil {
            let names = planner.unknowns.names
            defer { planner.unknowns.names = names }
            if let arguments = try? run.arguments(of: call, task.input, task.scope) { return arguments.holdsUnknown }
        }
        return task.readsUnknown
    }
}

extension Effect {
    /// The effects of a call of which only the function is known.
    fileprivate init(ofCall function: String, _ idempotency: Idempotency) {
        switch function {
        case "sendMail": self.init(.mail(.init(sent: true)))
        case "upload": self.init(.file(.init()))
        case "createFolder": self.init(.folder(.init()))
        case "createLink": self.init(.link(.init()))
        case "createEvent": self.init(.event(.init()))
        case "addToGroup": self.init(.member(.init(what: "group", added: true)))
        case "mcp": self.init(.tool())
        default: self.init(.request())
        }
        isOnce = idempotency == .once
    }
}

extension Unknown.Shape {
    init(schema: Value) {
        switch schema["type"]?.string {
        case "string": self = .text
        case "number", "integer": self = .number
        case "boolean": self = .boolean
        default: self = .any
        }
    }
}
