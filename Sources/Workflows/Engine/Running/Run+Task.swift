import Promises

extension Run {
    /// Performs one task with the standard's data flow around it.
    ///
    /// Specification: dsl.md, "Data Flow". The condition is asked first and of the raw input, as the drawing there has
    /// it, so that a task that is skipped makes no demands.
    func perform(_ task: Workflow.Task, input rawInput: Value, scope outer: Scope) -> Promise<Outcome> {
        if let planner = runner.planner, !outer.isPlanned {
            return plan(task, input: rawInput, scope: outer, planner)
        }
        let execution = outer.execution(of: task)
        if let end = recordedEnd(of: task, input: rawInput, scope: outer) { return end }
        let known = memory(of: execution)
        let time = known?.createdAt ?? runner.now()
        let occurrence = outer.occurrence
        var scope = outer
        scope.task = TaskDescriptor(task, occurrence, rawInput: rawInput, startedAt: time, isPlanned: isPlanning)
        scope.input = rawInput
        scope.isPlanned = false
        if known == nil { record(.taskCreated(task.reference), occurrence, at: time) }
        return firstly { () throws -> Promise<Outcome> in
            let isDecided = outer.isPlanned || known?.isDecided ?? false
            guard try isDecided || holds(task.condition, rawInput, scope) else {
                record(.taskSkipped(task.reference), occurrence)
                return .value(Outcome(value: rawInput, flow: .continue))
            }
            let extensions = try extensions(of: task, rawInput, scope)
            guard extensions.isEmpty else {
                return perform(task, between: extensions, rawInput: rawInput, scope: scope)
            }
            return try perform(task, rawInput: rawInput, replacement: nil, scope: scope)
        }.recover { error -> Promise<Outcome> in
            let error = WorkflowError(error, at: task.reference)
            self.recordEnd(of: task, by: error, occurrence)
            throw error
        }
    }

    /// Performs a task whose condition holds.
    /// - Parameters:
    ///   - task: The task.
    ///   - rawInput: The data that comes to it.
    ///   - replacement: What an extension gives in the place of what the task does; nil to do that.
    ///   - scope: What its expressions can read.
    func perform(
        _ task: Workflow.Task, rawInput: Value, replacement: Value?, scope: Scope
    ) throws -> Promise<Outcome> {
        guard task.readsSchemas,
            let reading = try read(task.schemas, of: task.reference, input: rawInput, scope: scope)
        else { return try begin(task, rawInput: rawInput, replacement: replacement, scope: scope) }
        return reading.then {
            try self.begin(task, rawInput: rawInput, replacement: replacement, scope: scope)
        }
    }

    private func begin(
        _ task: Workflow.Task, rawInput: Value, replacement: Value?, scope outer: Scope
    ) throws -> Promise<Outcome> {
        var scope = outer
        scope.input = nil
        let execution = scope.execution(of: task)
        let known = memory(of: execution).flatMap { $0.startedAt == nil ? nil : $0 }
        let input: Value
        if let known {
            input = known.input ?? rawInput
        } else {
            try check(rawInput, against: task.input.schema, as: "the task's input", in: task.reference)
            input = try transform(task.input.from, rawInput, scope)
            record(.taskStarted(task.reference, input: task.input.from.map { _ in input }), scope.occurrence)
        }
        scope.input = input
        if let replacement {
            return .value(try finish(task, Outcome(value: replacement, flow: task.then), scope))
        }
        return try within(task.timeout, of: execution, since: known?.startedAt, scope: scope, input: input) { [scope] in
            try self.perform(task.action, of: task, input: input, scope: scope)
        }.map { [scope] in try self.finish(task, $0, scope) }
    }

    /// Tells how a task ended badly, unless that was told when it was interrupted.
    private func recordEnd(of task: Workflow.Task, by error: WorkflowError, _ occurrence: String) {
        if !error.is(.cancelled) {
            record(.taskFaulted(task.reference, error), occurrence)
        } else if isActive(TaskExecution(task.reference, occurrence)) {
            record(.taskCancelled(task.reference), occurrence)
        }
    }

    /// Does what the task is there for.
    private func perform(
        _ action: Workflow.Action, of task: Workflow.Task, input: Value, scope: Scope
    ) throws -> Promise<Outcome> {
        switch action {
        case .call(let call): try perform(call, of: task, input: input, scope: scope)
        case .do(let tasks): perform(tasks, input: input, scope: scope).map { $0.followed(by: task.then) }
        case .for(let loop): try perform(loop, of: task, input: input, scope: scope)
        case .fork(let fork): perform(fork, of: task, input: input, scope: scope)
        case .emit(let emit):
            .value(Outcome(value: try perform(emit, of: task, input: input, scope: scope), flow: task.then))
        case .listen(let listen):
            perform(listen, of: task, input: input, scope: scope)
        case .raise(let definition): throw try error(definition, of: task, input: input, scope: scope)
        case .run(let process): try perform(process, of: task, input: input, scope: scope)
        case .set(let template): .value(Outcome(value: try evaluate(template, input, scope), flow: task.then))
        case .switch(let cases) where isPlanning: .value(try plan(cases, of: task, input: input, scope: scope))
        case .switch(let cases):
            .value(Outcome(value: input, flow: try flow(cases, of: task, input: input, scope: scope)))
        case .try(let attempt):
            perform(attempt, of: task, input: input, scope: scope).map { $0.followed(by: task.then) }
        case .wait(let duration):
            try wait(duration, of: task, input: input, scope: scope)
        }
    }

    /// Transforms and checks the output, and lets the task leave what it exports.
    private func finish(_ task: Workflow.Task, _ outcome: Outcome, _ outer: Scope) throws(WorkflowError) -> Outcome {
        var scope = outer
        if task.output.as != nil || task.export.as != nil {
            scope.task = scope.task?.with(rawOutput: outcome.value)
            scope.authorization = outcome.authorization
        }
        let output = try transform(task.output.as, outcome.value, scope)
        try check(output, against: task.output.schema, as: "the task's output", in: task.reference)
        scope.output = output
        var context: Value?
        if let export = task.export.as {
            let exported = try evaluate(export, output, scope)
            try check(exported, against: task.export.schema, as: "the context", in: task.reference)
            context = exported
        }
        record(
            .taskCompleted(task.reference, output: output, context: context, then: outcome.flow), scope.occurrence)
        return Outcome(value: output, flow: outcome.flow, alternatives: outcome.alternatives)
    }

    private func wait(
        _ source: DurationSource, of task: Workflow.Task, input: Value, scope: Scope
    ) throws -> Promise<Outcome> {
        let execution = scope.execution(of: task)
        let duration = try decide("wait", in: execution, source, input, scope)
        return runner.clock.pause(for: rest(of: duration, since: memory(of: execution)?.startedAt))
            .map { Outcome(value: input, flow: task.then) }
    }

    private func flow(
        _ cases: [Workflow.Case], of task: Workflow.Task, input: Value, scope: Scope
    ) throws(WorkflowError) -> FlowDirective {
        for candidate in cases where candidate.condition != nil {
            if try holds(candidate.condition, input, scope) { return candidate.then }
        }
        return cases.first { $0.condition == nil }?.then ?? task.then
    }

    private func error(
        _ definition: ErrorDefinition, of task: Workflow.Task, input: Value, scope: Scope
    ) throws(WorkflowError) -> WorkflowError {
        var members = try evaluate(definition.members, input, scope).object ?? [:]
        if members["instance"] == nil { members["instance"] = .string(task.reference.description) }
        return WorkflowError(members)
    }
}

extension Outcome {
    /// Where a task goes on that has other tasks inside it: nowhere if they ended the workflow.
    func followed(by then: FlowDirective) -> Outcome {
        Outcome(value: value, flow: flow == .end ? .end : then)
    }
}
