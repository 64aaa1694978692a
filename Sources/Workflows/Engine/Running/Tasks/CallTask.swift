extension Run {
    /// The limit of nested calls of a workflow's functions.
    private static let deepestCall = 100

    /// Calls a function of the workflow, or else of the catalog.
    func perform(_ call: Workflow.Call, _ task: ActiveTask) throws -> Promise<Outcome> {
        if let definition = workflow.components.functions[call.function] {
            return try perform(definition, for: call, task)
        }
        if let source = call.source { return try perform(source, for: call, task) }
        guard let function = runner.catalog[call.function] else {
            throw WorkflowError(
                .configuration, detail: "there is no function '\(call.function)'", instance: task.reference)
        }
        switch function.engineCall {
        case .items: return try performItems(call, function, task)
        case .approval: return try performApproval(call, function, task)
        case .undo: return try performUndo(call, function, task)
        case nil:
            return firstly { try perform(call, of: function, task) }.recover { error in
                try self.performer.replace(call, of: function, after: error, task)
            }
        }
    }

    private func perform(_ call: Workflow.Call, of function: Function, _ task: ActiveTask) throws -> Promise<Outcome> {
        guard let authorization = try authorization(call.authentication, input: task.input, scope: task.scope) else {
            return try perform(call, function, .none, task, task.scope)
        }
        let isRead = call.arguments?.variables.contains("authorization") ?? false
        return (isRead ? authorization.prepare() : .value(())).then { () -> Promise<Outcome> in
            var scope = task.scope
            if isRead { scope.update { $0.authorization = self.descriptor(of: authorization) } }
            return try self.perform(call, function, authorization.http, task, scope)
        }.map { outcome in
            let isRead = [task.definition.output.as, task.definition.export.as].contains { template in
                template?.variables.contains("authorization") ?? false
            }
            guard isRead else { return outcome }
            var outcome = outcome
            outcome.authorization = self.descriptor(of: authorization)
            return outcome
        }
    }

    /// Calls a function of the catalog, with the real texts of secrets in its arguments.
    private func perform(
        _ call: Workflow.Call, _ function: Function, _ authorization: HTTPAuthorization, _ task: ActiveTask,
        _ scope: Scope
    ) throws -> Promise<Outcome> {
        let given = try self.arguments(of: call, task.input, scope)
        try demand(given, of: call, function, task)
        if call.isPathComputed, given["path"]?.holdsUnknown ?? false {
            throw UnplannedCall("its path is an expression that is only known at run time")
        }
        return try perform(call, function, given, authorization, task, scope)
    }

    /// Calls a function with evaluated arguments.
    func perform(
        _ call: Workflow.Call, _ function: Function, _ given: Value, _ authorization: HTTPAuthorization,
        _ task: ActiveTask, _ scope: Scope
    ) throws -> Promise<Outcome> {
        var graph = world.client(for: self)
        graph.task = task.reference
        graph.occurrence = path(to: task.occurrence)
        graph.keep = function.name == Function.takeBackName ? nil : keeping(task, isPlanned: graph.plan != nil)
        let memory = memory(of: task.execution)
        let known = memory?.call
        if let known, known.end == nil { graph.begunBefore = memory?.begunAt }
        let notify = graph.onEvent
        let commitment = Commitment(journal)
        let sent: Value = [given, task.input]
        graph.onEvent = { event in
            if case .effect(let effect, .begun) = event.kind {
                commitment.announce(self.begin([effect], task, sending: sent, as: event.operation))
            }
            let event = self.accounted(event, of: task, sending: sent)
            if let shown = self.concealed(event) { notify(shown) }
            if case .effect(_, .begun) = event.kind { return }
            // A resumed run looks a message up. Any other effect is settled only with its call.
            if function.name != "sendMail", event.settlesEffect { return commitment.hold(event) }
            self.record(.request(task.reference, event), task.occurrence)
        }
        graph.begin = { effects in
            var (begun, isNew) = (effects, false)
            for (index, effect) in effects.enumerated() {
                if let announced = commitment.takeAnnounced(effect) {
                    begun[index].identity = announced.identity
                } else {
                    begun[index] = self.begin([effect], task, sending: sent, as: function.name)[0]
                    isNew = true
                }
            }
            // What cannot be recorded any more, because the run has ended, is not sent.
            let isRecorded = begun.allSatisfy { $0.identity != nil } || !self.world.keepsEvents
            guard isRecorded else { return Promise(error: PromiseError.cancelled) }
            return isNew ? self.commit().map(on: nil) { [begun] in begun } : .value(begun)
        }
        let interrupt = scope.interrupt
        graph.barrier = {
            // An interruption is requested first, and looks for pending effects afterwards.
            !interrupt.isRequested && commitment.begin() ? self.commit() : .never
        }
        var context = FunctionContext(graph: graph, blobs: blobs, files: files, authorization: authorization)
        context.resources = resources
        context.plainHosts = plainHosts
        context.resourceAuthorization =
            try self.authorization(call.documentAuthentication, input: task.input, scope: scope)?.http ?? .none
        // A timeout of the workflow or task replaces the limit for a response.
        if task.definition.timeout != nil || workflow.timeout != nil { context.patience = nil }
        if function.name == "sendMail" {
            context.mailKey = mailKeys?.key(of: task.reference, at: graph.occurrence, in: world)
        }
        if function.name == "createEvent" {
            context.transactionID = transactionID(of: task.reference, at: graph.occurrence)
        }
        context.draft = draft(of: known)
        context.declaredEffect = call.declaredEffect
        context.programs = FunctionPrograms(
            program: { command, environment throws(WorkflowError) in
                try self.program(command, environment: environment)
            }, talk: { try self.performer.talk(to: $0, task, answer: $1, $2) })
        if let end = known?.end {
            return result(of: end).map { result in
                if function.requests != nil { self.names.note(result) }
                return Outcome(value: result, flow: task.then)
            }
        }
        return try performer.call(function, given, in: context, commitment, task)
            .map { Outcome(value: $0, flow: task.then) }
    }

    /// Fails if a required argument is null; the error names the expression that found nothing.
    private func demand(
        _ given: Value, of call: Workflow.Call, _ function: Function, _ task: ActiveTask
    ) throws(FunctionError) {
        guard !function.isCustom else { return }
        for name in (function.input["required"]?.array ?? []).compactMap(\.string) where given[name]?.isNull ?? false {
            guard let expression = call.arguments?.expression(at: JSONPointer([name])) else { continue }
            let readsInput = expression.reads.isEmpty || expression.reads.contains { $0.variable == nil }
            throw FunctionError(
                "'\(name)' is null: '\(expression.shown)' found nothing"
                    + (readsInput ? " in \(task.input.outline)" : ""), at: JSONPointer([name]))
        }
    }

    /// Makes a call after all events before it are on disk.
    func make(
        _ prepared: PreparedCall, of function: Function, _ commitment: Commitment, _ task: ActiveTask,
        _ arguments: Value
    ) throws -> Promise<Value> {
        let isOnce = prepared.effect == .once && !prepared.commitsItself
        guard isOnce ? commitment.begin() : journal.mayBegin else { return .never }
        let end: @Sendable (Event.CallEnd?) -> Void = { end in
            self.record(.callEnded(task.reference, prepared.effect == .once ? end : nil), task.occurrence)
            for event in commitment.takeHeld() { self.record(.request(task.reference, event), task.occurrence) }
            commitment.end()
        }
        // It can be repeated until it reports that the rest must happen once.
        let effect = prepared.commitsItself ? .idempotent : prepared.effect
        if prepared.effect != .read {
            commitment.announce(begin(prepared.consequences, task, sending: arguments, as: function.name))
        }
        record(.callStarted(task.reference, effect), task.occurrence)
        // An interruption is requested first, and looks for pending effects afterwards.
        if isOnce, task.scope.interrupt.isRequested {
            commitment.end()
            return .never
        }
        // The client commits what it begins itself.
        let commitsEffects = function.requests != nil && prepared.consequences.isEmpty && !isOnce
        let isSafe = effect == .read || prepared.commitsItself || commitsEffects ? .value(()) : commit()
        return isSafe.thenAtOnce { try prepared.perform() }.map { result in
            let result = self.world.received(result)
            if function.requests != nil { self.names.note(result) }
            end(.completed(result))
            return result
        }.recover(policy: .allErrors) { error -> Promise<Value> in
            guard !error.isCancelled else {
                end(nil)
                throw error
            }
            let error = WorkflowError(error, at: task.reference).marking(arguments)
            end(.failed(error))
            throw error
        }
    }

    /// The arguments of a function; the endpoint of a standard call is its address, without its authentication.
    func arguments(of call: Workflow.Call, _ input: Value, _ scope: Scope) throws(WorkflowError) -> Value {
        guard let template = call.encodedArguments ?? call.arguments else { return [:] }
        var arguments = try scope.evaluate(template, input)
        if call.isPathComputed, case .object(var members) = arguments, members["scopes"] == nil,
            runner.graph.plan == nil
        {
            // A run asks for the permissions that its file shows, and for no other one in the middle.
            members["scopes"] = []
            arguments = .object(members)
        }
        guard let endpoint = call.endpoint, arguments.object != nil else { return arguments }
        let address = Value.object(["uri": try self.address(of: endpoint, input, scope)])
        return switch call.function {
        case "openapi": arguments.setting(["endpoint": address], at: ["document"])
        case "mcp": arguments.setting(address, at: ["transport", "http", "endpoint"])
        default: arguments.setting(address, at: ["endpoint"])
        }
    }

    /// The address of an endpoint, or the result of its expression.
    func address(of endpoint: Endpoint, _ input: Value, _ scope: Scope) throws(WorkflowError) -> Value {
        switch endpoint.address {
        case .template(let template):
            let plain = sent(input)
            do {
                return .string(try template.expand(input: plain))
            } catch {
                throw WorkflowError(
                    .expression, detail: error.message, instance: scope.task?.task.reference, cause: error)
            }
        case .expression(let template):
            let value = try scope.evaluate(template, input)
            // An expression can return an endpoint object.
            return value.object?.keys == ["uri"] ? value["uri"] ?? value : value
        }
    }

    /// Performs a function of the workflow: a task whose input is the call's arguments.
    ///
    /// Without arguments it gets the calling task's input. It can read the context, but not the names that tasks around
    /// the call define.
    private func perform(
        _ definition: Workflow.Task, for call: Workflow.Call, _ task: ActiveTask
    ) throws -> Promise<Outcome> {
        if let end = world.end(ofRecursion: call.function, task) { return .value(end) }
        guard task.scope.depth < Self.deepestCall else {
            throw WorkflowError(
                .runtime,
                detail: "'\(call.function)' was called \(Self.deepestCall) levels deep: it calls itself endlessly",
                instance: task.reference)
        }
        let arguments =
            try call.arguments.map { template in
                try decide("with", in: task.execution) { try task.evaluate(template) }
            } ?? task.input
        var inner = task.scope.inside("call", task.reference)
        inner.update { $0.locals = [:] }
        inner.depth += 1
        // Started asynchronously: a recursive function cannot overflow the stack.
        return Promise.value(()).then { [inner] in
            self.performer.perform(definition, input: arguments, scope: inner)
        }.map { $0.followed(by: task.then) }
    }
}

extension LiveTaskPerformer {
    func call(
        _ function: Function, _ given: Value, in context: FunctionContext, _ commitment: Commitment, _ task: ActiveTask
    ) throws -> Promise<Value> {
        function.prepare(run.sent(given), in: context).then(on: nil) { prepared -> Promise<Value> in
            if let known = run.memory(of: task.execution)?.call,
                let assumed = run.assumption(of: known, task, whenSent: function.assumedOutput)
            {
                return assumed
            }
            return try run.make(prepared, of: function, commitment, task, [given, task.input])
        }.recover { error -> Promise<Value> in
            throw WorkflowError(error, at: task.reference).marking([given, task.input])
        }
    }

    func replace(
        _ call: Workflow.Call, of function: Function, after error: any Error, _ task: ActiveTask
    ) throws -> Promise<Outcome> { throw error }
}

extension Value {
    /// The kind of the value in words, without its data.
    fileprivate var outline: String {
        switch self {
        case .array(let elements):
            elements.isEmpty
                ? "an empty array" : "an array of \(elements.count == 1 ? "1 element" : "\(elements.count) elements")"
        case .object(let members) where members.isEmpty: "an empty object"
        case .object(let members):
            "an object with "
                + members.prefix(8).map { "'\(PlainText.exact($0.key, limit: 60))'" }.joined(separator: ", ")
                + (members.count > 8 ? " and \(members.count - 8) more" : "")
        default: typeName
        }
    }
}
