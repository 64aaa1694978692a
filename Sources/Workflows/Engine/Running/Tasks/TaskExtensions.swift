extension Run {
    /// The extensions that apply to a task; none apply to the tasks of extensions.
    func extensions(of task: ActiveTask) throws -> [Extension] {
        guard task.scope.extended == nil, !workflow.components.extensions.isEmpty else { return [] }
        var scope = task.scope
        scope.extended = task.descriptor
        let all = workflow.components.extensions
        if let known = memory(of: task.execution)?.decisions["extensions"]?.array {
            return known.compactMap(\.integer).filter(all.indices.contains).map { all[$0] }
        }
        let found = try all.indices.filter { index in
            guard all[index].target.includes(task.definition.action) else { return false }
            return try scope.certainty(of: all[index].condition, task.input) != nil
        }
        guard !found.isEmpty, memory(of: task.execution)?.startedAt == nil else { return found.map { all[$0] } }
        record(
            .decided(task.reference, what: "extensions", value: .array(found.map(Value.integer))), task.occurrence)
        return found.map { all[$0] }
    }

    /// The recorded end of a task, which the journal has before the task's `after` extensions run.
    func recordedEnd(of task: Workflow.Task, input: Value, scope: Scope) -> Promise<Outcome>? {
        let execution = scope.execution(of: task)
        guard let end = recorded(execution, input: input, scope: scope) else { return nil }
        guard let frame = memory(of: execution), let known = frame.decisions["extensions"]?.array else { return end }
        let all = workflow.components.extensions
        let extensions = known.compactMap(\.integer).filter(all.indices.contains).map { all[$0] }
        return end.then { outcome -> Promise<Outcome> in
            let descriptor = TaskDescriptor(
                task, scope.occurrence, rawInput: input, startedAt: frame.createdAt, rawOutput: outcome.value)
            let ended = ActiveTask(descriptor, input: input, scope: scope)
            return self.performer.perform(extensions, after: ended, with: outcome)
        }
    }
}

extension LiveTaskPerformer {
    func perform(_ task: ActiveTask, between extensions: [Extension]) -> Promise<Outcome> {
        let inner = task.extendingScope
        let befores = extensions.map(\.before)
        return repeating(0) { index -> Promise<Step<Int, Outcome?>> in
            guard befores.indices.contains(index) else { return .value(.done(nil)) }
            return perform(befores[index], input: task.input, scope: inner, exit: .exit).map { outcome in
                outcome.flow == .continue ? .again(index + 1) : .done(outcome)
            }
        }.then { outcome -> Promise<Outcome> in
            if let outcome, outcome.flow == .end { return .value(outcome) }
            return try run.perform(task, replacement: outcome?.value)
        }.then { outcome in perform(extensions, after: task, with: outcome) }
    }

    func perform(_ extensions: [Extension], after task: ActiveTask, with outcome: Outcome) -> Promise<Outcome> {
        guard outcome.flow != .end else { return .value(outcome) }
        let inner = task.extendingScope
        let afters = extensions.map(\.after)
        return repeating(0) { index -> Promise<Step<Int, Outcome>> in
            guard afters.indices.contains(index) else { return .value(.done(outcome)) }
            return perform(afters[index], input: outcome.value, scope: inner).map { after in
                after.flow == .end ? .done(after) : .again(index + 1)
            }
        }
    }
}

extension ActiveTask {
    var extendingScope: Scope {
        var inner = scope.inside("extend", reference)
        inner.update { $0.task = descriptor }
        inner.extended = descriptor
        return inner
    }
}
