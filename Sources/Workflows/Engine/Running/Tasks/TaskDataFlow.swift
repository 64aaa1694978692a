extension Run {
    /// Performs one task with the standard's data flow around it.
    ///
    /// Specification: dsl.md, "Data Flow". As in the diagram there, the condition is evaluated first and on the raw
    /// input: a skipped task has no requirements.
    func perform(
        _ task: Workflow.Task, input rawInput: Value, scope outer: Scope, _ reached: PlannedCertainty = .certain
    ) -> Promise<Outcome> {
        if let end = recordedEnd(of: task, input: rawInput, scope: outer) { return end }
        let known = memory(of: outer.execution(of: task))
        let time = known?.createdAt ?? runner.now()
        let occurrence = outer.occurrence
        let descriptor = TaskDescriptor(
            task, occurrence, rawInput: rawInput, startedAt: time, planned: world.taskStart)
        var scope = outer
        scope.update { ($0.task, $0.input) = (descriptor, rawInput) }
        let pending = ActiveTask(descriptor, input: rawInput, scope: scope)
        if known == nil { record(.taskCreated(task.reference), occurrence, at: time) }
        let certainty: PlannedCertainty
        do throws(WorkflowError) {
            // Tasks that never wait give timers no chance to fire.
            try scope.endIfInterrupted()
            let condition = known?.isDecided ?? false ? nil : task.condition
            guard let decided = try scope.certainty(of: condition, rawInput) else {
                world.skip(pending, at: path(to: occurrence))
                record(.taskSkipped(task.reference), occurrence)
                return .value(Outcome(value: rawInput, flow: .continue))
            }
            certainty = decided
        } catch {
            return Promise(error: ended(pending, by: error))
        }
        world.begin(pending, certainty == .certain ? reached : certainty, at: path(to: occurrence))
        let outcome = firstly { () throws -> Promise<Outcome> in
            let extensions = try extensions(of: pending)
            guard extensions.isEmpty else { return performer.perform(pending, between: extensions) }
            return try perform(pending)
        }
        let ended =
            outcome.isFulfilled
            ? outcome : outcome.recover { error -> Promise<Outcome> in throw self.ended(pending, by: error) }
        return world.conclude(ended, of: pending, certainty)
    }

    /// Records that a task ended with an error; returns the error with its place.
    private func ended(_ task: ActiveTask, by error: any Error) -> WorkflowError {
        var error = WorkflowError(error, at: task.reference)
        locate(&error, in: task)
        recordEnd(of: task.execution, by: error)
        return error
    }

    /// Performs a task whose condition holds; `replacement` is an extension's output that replaces its action.
    func perform(_ task: ActiveTask, replacement: Value? = nil) throws -> Promise<Outcome> {
        guard task.descriptor.task.readsSchemas,
            let reading = try read(task.descriptor.task.schemas, input: task.input, scope: task.scope)
        else { return try begin(task, replacement: replacement) }
        return reading.then { try self.begin(task, replacement: replacement) }
    }

    private func begin(_ pending: ActiveTask, replacement: Value?) throws -> Promise<Outcome> {
        // A copy of the whole task would cost more than the rest of this function.
        let descriptor = pending.descriptor
        let frame = memory(of: pending.execution)
        let known = frame.flatMap { $0.startedAt == nil ? nil : $0 }
        let input: Value
        if let known {
            input = known.input ?? pending.input
        } else if let recorded = frame?.input {
            input = recorded
            record(.taskStarted(pending.reference, input: recorded), pending.occurrence)
        } else {
            try check(
                pending.input, against: descriptor.task.input.schema, as: "the task's input", pending.scope,
                in: pending.reference)
            input = try pending.scope.transform(descriptor.task.input.from, pending.input)
            record(
                .taskStarted(pending.reference, input: descriptor.task.input.from.map { _ in input }),
                pending.occurrence)
        }
        var scope = pending.scope
        if known?.input != nil || descriptor.task.input.from != nil { scope.update { $0.input = input } }
        let task = ActiveTask(pending.descriptor, input: input, scope: scope)
        if let replacement { return .value(try finish(task, Outcome(value: replacement, flow: task.then))) }
        return try within(descriptor.task.timeout, since: known?.limitsBeginAt, input: input, scope: scope) { inner in
            try self.perform(descriptor.task.action, task.inside(inner))
        }.mapAtOnce { try self.finish(task, $0) }
    }

    /// Records that a task failed or was cancelled, unless its interruption is already recorded.
    private func recordEnd(of task: TaskExecution, by error: WorkflowError) {
        if !error.is(.cancelled) {
            record(.taskFaulted(task.task, error), task.occurrence)
        } else if isActive(task) {
            record(.taskCancelled(task.task), task.occurrence)
        }
    }

    private func perform(_ action: Workflow.Action, _ task: ActiveTask) throws -> Promise<Outcome> {
        switch action {
        case .call(let call): try perform(call, task)
        case .do(let tasks):
            performer.perform(tasks, input: task.input, scope: task.scope).map { $0.followed(by: task.then) }
        case .for(let loop): try performer.perform(loop, task)
        case .fork(let fork) where fork.branches.isEmpty:
            .value(Outcome(value: fork.competes ? task.input : [], flow: task.then))
        case .fork(let fork): performer.perform(fork, task)
        case .emit(let emit): .value(Outcome(value: try perform(emit, task), flow: task.then))
        case .listen(let listen): performer.perform(listen, task)
        case .raise(let definition): throw try error(definition, task)
        case .run(let process): try perform(process, task)
        case .set(let template): .value(Outcome(value: try task.evaluate(template), flow: task.then))
        case .switch(let cases): .value(try perform(cases, task))
        case .try(let attempt): performer.perform(attempt, task)
        case .wait(let duration): try wait(duration, task)
        }
    }

    func place(of task: ActiveTask) -> TaskExecution { TaskExecution(task.reference, path(to: task.occurrence)) }

    private func finish(_ task: ActiveTask, _ outcome: Outcome) throws(WorkflowError) -> Outcome {
        let scope = task.scope.following(outcome)
        do { return try finish(task, outcome, in: scope) } catch {
            var error = error
            error.context = scope.carried(scope.context)
            throw error
        }
    }

    private func finish(
        _ task: ActiveTask, _ outcome: Outcome, in scope: Scope
    ) throws(WorkflowError) -> Outcome {
        let descriptor = task.descriptor
        world.take(outcome.value, of: place(of: task))
        var scope = scope
        if descriptor.task.output.as != nil || descriptor.task.export.as != nil {
            scope.update { fields in
                fields.task = TaskDescriptor(descriptor, rawOutput: outcome.value)
                fields.authorization = outcome.authorization
            }
        }
        let output = try scope.transform(descriptor.task.output.as, outcome.value)
        try check(output, against: descriptor.task.output.schema, as: "the task's output", scope, in: task.reference)
        let context: Value?
        if descriptor.task.export.as != nil {
            scope.update { $0.output = output }
            context = try exported(descriptor.task.export, of: output, scope)
        } else {
            context = nil
        }
        record(
            .taskCompleted(task.reference, output: output, context: context, then: outcome.flow), task.occurrence)
        return Outcome(
            value: output, flow: outcome.flow, context: scope.carried(context ?? outcome.context),
            alternatives: outcome.alternatives)
    }

    /// The context that a task or a round exports; nil if it exports none.
    func exported(
        _ export: Export, of output: Value, _ scope: Scope
    ) throws(WorkflowError) -> Value? {
        guard let template = export.as else { return nil }
        let context = try scope.evaluate(template, output)
        try check(context, against: export.schema, as: "the context", scope, in: scope.task?.task.reference)
        return world.exported(context, of: id, by: scope.task?.task.name ?? "")
    }

    private func wait(_ source: DurationSource, _ task: ActiveTask) throws -> Promise<Outcome> {
        let duration = try decide("wait", in: task.execution, source, task.input, task.scope)
        return runner.clock.pause(for: rest(of: duration, since: memory(of: task.execution)?.startedAt))
            .map { Outcome(value: task.input, flow: task.then) }
    }

    private func error(
        _ definition: ErrorDefinition, _ task: ActiveTask
    ) throws(WorkflowError) -> WorkflowError {
        var members = try task.evaluate(definition.members).object ?? [:]
        for name in ["type", "status", "instance"] where members[name]?.holdsSecret ?? false {
            throw WorkflowError(
                .expression, detail: "an error's '\(name)' cannot be secret", instance: task.reference)
        }
        if members["instance"] == nil { members["instance"] = .string(task.reference.description) }
        return WorkflowError(members)
    }
}
