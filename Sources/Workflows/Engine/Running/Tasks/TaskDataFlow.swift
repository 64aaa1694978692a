import Promises

extension LiveTaskPerformer {
    func perform(_ task: Workflow.Task, input: Value, scope: Scope) -> Promise<Outcome> {
        run.perform(task, input: input, scope: scope)
    }
}

extension DryTaskPerformer {
    /// Plans one task: decides its condition if the data is known, or else marks the task with it.
    func perform(_ task: Workflow.Task, input rawInput: Value, scope: Scope) -> Promise<Outcome> {
        perform(task, input: rawInput, scope: scope, as: .certain)
    }

    /// - Parameter reached: Whether the workflow certainly arrives at the task, with these data if it does.
    func perform(
        _ task: Workflow.Task, input rawInput: Value, scope: Scope, as reached: PlannedCertainty
    ) -> Promise<Outcome> {
        let certainty: PlannedCertainty
        do throws(WorkflowError) {
            guard let known = try self.certainty(of: task, input: rawInput, scope: scope) else {
                planner.begin(planned(task, .certain, input: rawInput, scope: scope))
                planner.end { $0.outcome = .skipped }
                return .value(Outcome(value: rawInput, flow: .continue))
            }
            certainty = known
        } catch {
            return Promise(error: WorkflowError(error, at: task.reference))
        }
        let before = scope.context
        planner.begin(planned(task, certainty == .certain ? reached : certainty, input: rawInput, scope: scope))
        return run.perform(task, input: rawInput, scope: scope, isDecided: true).map { outcome in
            planner.end {
                $0.output = outcome.value.drawn()
                $0.markedOutput = outcome.value
            }
            guard certainty != .certain else { return outcome }
            return undecided(outcome, of: task, certainty, input: rawInput, context: before)
        }.recover { error -> Promise<Outcome> in
            var error = WorkflowError(error, at: task.reference)
            error.context = error.context ?? before
            if isUnknown(error, of: task, input: rawInput, context: before) {
                let outcome = Outcome(value: .unknown(planner.unknown(task.name)), flow: task.then)
                planner.end {
                    $0.outcome = .unknown(error.detail ?? error.title ?? error.type)
                    $0.output = outcome.value.drawn()
                    $0.markedOutput = outcome.value
                }
                return .value(outcome)
            }
            planner.end { $0.outcome = .faulted(error) }
            guard certainty != .certain else { throw error }
            return .value(Outcome(value: rawInput, flow: .continue))
        }
    }

    private func planned(
        _ task: Workflow.Task, _ certainty: PlannedCertainty, input: Value, scope: Scope
    ) -> PlannedTask {
        var planned = PlannedTask(task, certainty)
        planned.occurrence = run.path(to: scope.occurrence)
        planned.input = input
        planned.context = scope.context
        planned.locals = Dictionary(uniqueKeysWithValues: scope.locals.map { ($0.key, $0.value) })
        return planned
    }

    /// Whether a task is certain to be performed; nil if it is certain to be skipped.
    private func certainty(
        of task: Workflow.Task, input rawInput: Value, scope outer: Scope
    ) throws(WorkflowError) -> PlannedCertainty? {
        guard let condition = task.condition else { return .certain }
        var scope = outer
        let descriptor = TaskDescriptor(
            task, scope.occurrence, rawInput: rawInput, startedAt: run.runner.now(), isPlanned: true)
        scope.update { ($0.task, $0.input) = (descriptor, rawInput) }
        return switch try scope.truth(of: condition, rawInput) {
        case nil: .condition(condition.shown)
        case true?: .certain
        case false?: nil
        }
    }

    /// The outcome of a task that is performed or skipped.
    private func undecided(
        _ outcome: Outcome, of task: Workflow.Task, _ certainty: PlannedCertainty, input: Value, context before: Value
    ) -> Outcome {
        var result = outcome
        let after = outcome.context ?? before
        guard outcome.flow == .continue, outcome.alternatives == nil else {
            let performed = PlannedAlternative(
                title: "performed", certainty: certainty, flow: outcome.flow, value: outcome.value,
                context: after)
            let skipped = PlannedAlternative(
                title: "skipped", certainty: .case("skipped", nil), flow: .continue, value: input, context: before)
            result.alternatives = (outcome.alternatives ?? [performed]) + [skipped]
            return result
        }
        result.value = planner.join(outcome.value, input, named: task.name)
        result.context = planner.join(after, before, named: task.name)
        return result
    }

    /// Whether a call fails in the plan only because its arguments are unknown.
    private func isUnknown(
        _ error: WorkflowError, of task: Workflow.Task, input: Value, context: Value
    ) -> Bool {
        guard error.is(.validation) || error.is(.expression), input.holdsUnknown || context.holdsUnknown else {
            return false
        }
        switch task.action {
        case .call, .run, .emit: return true
        default: return false
        }
    }
}

extension Run {
    /// Performs one task with the standard's data flow around it.
    ///
    /// Specification: dsl.md, "Data Flow". The condition is evaluated first and on the raw input, as in the diagram
    /// there, so that a skipped task has no requirements.
    /// - Parameters:
    ///   - outer: The scope around the task.
    ///   - isDecided: Whether it is already known that its condition holds.
    fileprivate func perform(
        _ task: Workflow.Task, input rawInput: Value, scope outer: Scope, isDecided: Bool = false
    ) -> Promise<Outcome> {
        if let end = recordedEnd(of: task, input: rawInput, scope: outer) { return end }
        let known = memory(of: outer.execution(of: task))
        let time = known?.createdAt ?? runner.now()
        let occurrence = outer.occurrence
        let descriptor = TaskDescriptor(
            task, occurrence, rawInput: rawInput, startedAt: time, isPlanned: isPlanning)
        var scope = outer
        scope.update { ($0.task, $0.input) = (descriptor, rawInput) }
        let pending = ActiveTask(descriptor, input: rawInput, scope: scope)
        if known == nil { record(.taskCreated(task.reference), occurrence, at: time) }
        let outcome = firstly { () throws -> Promise<Outcome> in
            // Tasks that never wait leave an alarm no time either.
            try scope.endIfInterrupted()
            guard try isDecided || known?.isDecided ?? false || scope.holds(task.condition, rawInput) else {
                record(.taskSkipped(task.reference), occurrence)
                return .value(Outcome(value: rawInput, flow: .continue))
            }
            let extensions = try extensions(of: pending)
            guard extensions.isEmpty else { return perform(pending, between: extensions) }
            return try perform(pending)
        }
        guard !outcome.isFulfilled else { return outcome }
        return outcome.recover { error -> Promise<Outcome> in
            var error = WorkflowError(error, at: task.reference)
            self.locate(&error, in: pending)
            self.recordEnd(of: pending.execution, by: error)
            throw error
        }
    }

    /// Performs a task whose condition holds.
    /// - Parameters:
    ///   - task: The task with its raw input.
    ///   - replacement: The output of an extension that replaces the task's action; nil to perform the action.
    func perform(_ task: ActiveTask, replacement: Value? = nil) throws -> Promise<Outcome> {
        guard task.definition.readsSchemas,
            let reading = try read(task.definition.schemas, input: task.input, scope: task.scope)
        else { return try begin(task, replacement: replacement) }
        return reading.then { try self.begin(task, replacement: replacement) }
    }

    private func begin(_ pending: ActiveTask, replacement: Value?) throws -> Promise<Outcome> {
        let definition = pending.definition
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
                pending.input, against: definition.input.schema, as: "the task's input", pending.scope,
                in: pending.reference)
            input = try pending.scope.transform(definition.input.from, pending.input)
            record(
                .taskStarted(pending.reference, input: definition.input.from.map { _ in input }), pending.occurrence)
        }
        var scope = pending.scope
        if known?.input != nil || definition.input.from != nil { scope.update { $0.input = input } }
        let task = ActiveTask(pending.descriptor, input: input, scope: scope)
        if let replacement { return .value(try finish(task, Outcome(value: replacement, flow: task.then))) }
        return try within(definition.timeout, since: known?.limitsBeginAt, input: input, scope: scope) { inner in
            try self.perform(definition.action, task.inside(inner))
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
        case .switch(let cases): .value(try performer.perform(cases, task))
        case .try(let attempt): performer.perform(attempt, task)
        case .wait(let duration): try wait(duration, task)
        }
    }

    /// The place of a task in an approved plan.
    func place(of task: ActiveTask) -> TaskExecution { TaskExecution(task.reference, path(to: task.occurrence)) }

    /// Ends a task with the outcome of its action.
    private func finish(_ task: ActiveTask, _ outcome: Outcome) throws(WorkflowError) -> Outcome {
        let scope = task.scope.following(outcome)
        do { return try finish(task, outcome, in: scope) } catch {
            var error = error
            error.context = scope.carried(scope.context)
            throw error
        }
    }

    /// Transforms and checks the output, and exports the context.
    private func finish(
        _ task: ActiveTask, _ outcome: Outcome, in scope: Scope
    ) throws(WorkflowError) -> Outcome {
        let definition = task.definition
        runner.planner?.note { $0.rawOutput = outcome.value }
        runner.approval?.end(place(of: task), output: outcome.value)
        var scope = scope
        if definition.output.as != nil || definition.export.as != nil {
            scope.update { fields in
                fields.task = task.descriptor.with(rawOutput: outcome.value)
                fields.authorization = outcome.authorization
            }
        }
        let output = try scope.transform(definition.output.as, outcome.value)
        try check(output, against: definition.output.schema, as: "the task's output", scope, in: task.reference)
        let context: Value?
        if definition.export.as != nil {
            scope.update { $0.output = output }
            context = try exported(definition.export, of: output, scope)
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
        return runner.planner?.export(context, of: id, named: scope.task?.task.name ?? "") ?? context
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
