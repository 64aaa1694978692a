import Promises

extension Run {
    /// How deeply functions of a workflow may call each other.
    private static let deepestCall = 100

    /// Calls what a task names: a function that the workflow defines, or else one of the catalog.
    func perform(_ call: Workflow.Call, _ task: ActiveTask) throws -> Promise<Outcome> {
        if let definition = workflow.components.functions[call.function] {
            return try perform(definition, for: call, task)
        }
        guard let function = runner.catalog[call.function] else {
            throw WorkflowError(
                .configuration, detail: "there is no function '\(call.function)'", instance: task.reference)
        }
        guard let authorization = try authorization(call.authentication, input: task.input, scope: task.scope) else {
            return try perform(call, function, .none, task, task.scope)
        }
        let isRead = call.arguments?.variables.contains("authorization") ?? false
        return (isRead ? authorization.prepare() : .value(())).then { () -> Promise<Outcome> in
            var scope = task.scope
            if isRead { scope.authorization = self.descriptor(of: authorization) }
            return try self.perform(call, function, authorization.http, task, scope)
        }.map { outcome in
            var outcome = outcome
            outcome.authorization = self.descriptor(of: authorization)
            return outcome
        }.recover { error -> Promise<Outcome> in
            throw self.secrets.conceal(WorkflowError(error, at: task.reference))
        }
    }

    /// Calls a function of the catalog, whose arguments are real from here on, and whose result hides its secrets.
    /// - Parameter scope: What the arguments can read.
    private func perform(
        _ call: Workflow.Call, _ function: Function, _ authorization: HTTPAuthorization, _ task: ActiveTask,
        _ scope: Scope
    ) throws -> Promise<Outcome> {
        let arguments = try secrets.reveal(
            try self.arguments(of: call, task.input, scope), in: task.reference)
        var graph = runner.graph
        graph.task = task.reference
        // A plan skips the workflow's waits, but not those between requests that it really sends.
        if !isPlanning { graph.clock = runner.clock }
        let notify = graph.onEvent
        graph.onEvent = { event in
            notify(event)
            self.record(.request(task.reference, event), task.occurrence)
        }
        let commitment = Commitment(journal)
        graph.barrier = { [journal] in commitment.begin() && journal.commit() ? .value(()) : .never }
        var context = FunctionContext(graph: graph, blobs: blobs, files: files, authorization: authorization)
        context.resources = resources
        context.resourceAuthorization =
            try self.authorization(call.documentAuthentication, input: task.input, scope: scope)?.http ?? .none
        // Where a timeout holds, nothing else decides how long an answer may take.
        if task.definition.timeout != nil || workflow.timeout != nil { context.patience = nil }
        let known = memory(of: task.execution)?.call
        context.draft = draft(of: known)
        if let end = known?.end { return result(of: end).map { Outcome(value: $0, flow: task.then) } }
        return function.prepare(arguments, in: context).then(on: nil) { prepared -> Promise<Value> in
            if let known, let assumed = self.assumption(of: known, task, whenSent: function.assumedOutput) {
                return assumed
            }
            return try self.make(prepared, commitment, task)
        }.map { Outcome(value: $0, flow: task.then) }
            .recover { error -> Promise<Outcome> in
                throw self.secrets.conceal(WorkflowError(error, at: task.reference))
            }
    }

    /// Makes a call, before which everything is on disk that led to it.
    private func make(
        _ prepared: PreparedCall, _ commitment: Commitment, _ task: ActiveTask
    ) throws -> Promise<Value> {
        let isOnce = prepared.effect == .once && !prepared.commitsItself
        guard isOnce ? commitment.begin() : journal.mayBegin else { return .never }
        let end: @Sendable (Event.CallEnd?) -> Void = { end in
            self.record(.callEnded(task.reference, prepared.effect == .once ? end : nil), task.occurrence)
            commitment.end()
        }
        // Until it says that what follows must be done once, it can be done again.
        let effect = prepared.commitsItself ? .idempotent : prepared.effect
        record(.callStarted(task.reference, effect), task.occurrence)
        let isFlushed = effect == .read || prepared.commitsItself || journal.commit()
        guard isFlushed else { return .never }
        return firstly { try prepared.perform() }.map { result in
            let result = self.secrets.conceal(result)
            end(.completed(result))
            return result
        }.recover(policy: .allErrors) { error -> Promise<Value> in
            guard !error.isCancelled else {
                end(nil)
                throw error
            }
            let error = self.secrets.conceal(WorkflowError(error, at: task.reference))
            end(.failed(error))
            throw error
        }
    }

    /// What a function is called with.
    ///
    /// The endpoint of a call of the standard is handed over as nothing but its address; who asks is said elsewhere.
    private func arguments(of call: Workflow.Call, _ input: Value, _ scope: Scope) throws(WorkflowError) -> Value {
        guard let template = call.arguments else { return [:] }
        var arguments = try evaluate(template, input, scope)
        guard let endpoint = call.endpoint, case .object(var members) = arguments else { return arguments }
        let address = Value.object(["uri": try self.address(of: endpoint, input, scope)])
        members[call.function == "openapi" ? "document" : "endpoint"] =
            call.function == "openapi" ? ["endpoint": address] : address
        arguments = .object(members)
        return arguments
    }

    /// The address that an endpoint stands for, or what its expression gives.
    func address(of endpoint: Endpoint, _ input: Value, _ scope: Scope) throws(WorkflowError) -> Value {
        switch endpoint.address {
        case .template(let template):
            do {
                return .string(try template.expand(input: input))
            } catch {
                throw WorkflowError(
                    .expression, detail: error.message, instance: scope.task?.task.reference, cause: error)
            }
        case .expression(let template):
            let value = try evaluate(template, input, scope)
            // An expression can give an endpoint with its address inside.
            return value.object?.keys == ["uri"] ? value["uri"] ?? value : value
        }
    }

    /// Performs a function of the workflow itself: a task whose input is what it is called with.
    ///
    /// Without arguments it is given what the calling task is given. It sees the context, and none of the names that
    /// tasks around the call define.
    private func perform(
        _ definition: Workflow.Task, for call: Workflow.Call, _ task: ActiveTask
    ) throws -> Promise<Outcome> {
        guard task.scope.depth < Self.deepestCall else {
            throw WorkflowError(
                .runtime, detail: "'\(call.function)' was called \(Self.deepestCall) deep: it calls itself without end",
                instance: task.reference)
        }
        let arguments =
            try call.arguments.map { template in
                try decide("with", in: task.execution) { try evaluate(template, task) }
            } ?? task.input
        var inner = task.scope.inside("call", task.reference)
        inner.locals = [:]
        inner.depth += 1
        // Begun by the list of work, not from here: a function that calls itself must not fill the stack.
        return Promise.value(()).then { [inner] in
            self.performer.perform(definition, input: arguments, scope: inner)
        }.map { $0.followed(by: task.then) }
    }
}
