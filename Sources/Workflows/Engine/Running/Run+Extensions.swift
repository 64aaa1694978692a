import Promises

extension Run {
    /// The extensions that apply to a task; none to what is performed for an extension itself.
    func extensions(of task: Workflow.Task, _ input: Value, _ scope: Scope) throws -> [Extension] {
        guard scope.extended == nil, !workflow.components.extensions.isEmpty else { return [] }
        var scope = scope
        scope.extended = scope.task
        let all = workflow.components.extensions
        let execution = scope.execution(of: task)
        if let known = memory(of: execution)?.decisions["extensions"]?.array {
            return known.compactMap(\.integer).filter(all.indices.contains).map { all[$0] }
        }
        let found = try all.indices.filter { index in
            guard all[index].target.includes(task.action) else { return false }
            return try holds(all[index].condition, input, scope)
        }
        guard !found.isEmpty, memory(of: execution)?.startedAt == nil else { return found.map { all[$0] } }
        record(
            .decided(task.reference, what: "extensions", value: .array(found.map(Value.integer))), scope.occurrence)
        return found.map { all[$0] }
    }

    /// Performs a task with what extensions put before and after it.
    ///
    /// Specification: dsl-reference.md, "Extension". What comes before is performed on the task's raw input and what comes
    /// after on its output, and what they give is dropped, so that an extension that writes a log changes no data. Only
    /// where the tasks before exit, what they gave stands for what the task does.
    func perform(
        _ task: Workflow.Task, between extensions: [Extension], rawInput: Value, scope: Scope
    ) -> Promise<Outcome> {
        var inner = scope.inside("extend", task.reference)
        inner.extended = scope.task
        let befores = extensions.map(\.before)
        return repeating(0) { [inner] index -> Promise<Step<Int, Outcome?>> in
            guard befores.indices.contains(index) else { return .value(.done(nil)) }
            return self.perform(befores[index], input: rawInput, scope: inner, exit: .exit).map { outcome in
                outcome.flow == .continue ? .again(index + 1) : .done(outcome)
            }
        }.then { outcome -> Promise<Outcome> in
            if let outcome, outcome.flow == .end { return .value(outcome) }
            return try self.perform(task, rawInput: rawInput, replacement: outcome?.value, scope: scope)
        }.then { outcome in self.perform(outcome, before: extensions, of: task, scope: scope) }
    }

    /// Performs what extensions put after a task.
    private func perform(
        _ outcome: Outcome, before extensions: [Extension], of task: Workflow.Task, scope: Scope
    ) -> Promise<Outcome> {
        guard outcome.flow != .end else { return .value(outcome) }
        var inner = scope.inside("extend", task.reference)
        inner.extended = scope.task
        let afters = extensions.map(\.after)
        return repeating(0) { [inner] index -> Promise<Step<Int, Outcome>> in
            guard afters.indices.contains(index) else { return .value(.done(outcome)) }
            return self.perform(afters[index], input: outcome.value, scope: inner).map { after in
                after.flow == .end ? .done(after) : .again(index + 1)
            }
        }
    }

    /// How a performance of a task ended by the journal, after what extensions put behind it, of which that says nothing.
    func recordedEnd(of task: Workflow.Task, input: Value, scope: Scope) -> Promise<Outcome>? {
        let execution = scope.execution(of: task)
        guard let end = recorded(execution, input: input, scope: scope) else { return nil }
        guard let frame = memory(of: execution), let known = frame.decisions["extensions"]?.array else { return end }
        let all = workflow.components.extensions
        let extensions = known.compactMap(\.integer).filter(all.indices.contains).map { all[$0] }
        return end.then { outcome -> Promise<Outcome> in
            var scope = scope
            scope.task = TaskDescriptor(
                task, scope.occurrence, rawInput: input, startedAt: frame.createdAt, rawOutput: outcome.value)
            return self.perform(outcome, before: extensions, of: task, scope: scope)
        }
    }
}
