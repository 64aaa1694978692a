extension DryTaskPerformer {
    /// Plans a task with its extensions, some of which may not apply and some of which may replace the task.
    func perform(_ task: ActiveTask, between extensions: [Extension]) -> Promise<Outcome> {
        typealias Exits = (values: [Value], isCertain: Bool, context: Value)
        let inner = task.extendingScope
        return repeating((index: 0, exits: Exits([], false, inner.context))) {
            place -> Promise<Step<(index: Int, exits: Exits), (exits: Exits, end: Outcome?)>> in
            guard extensions.indices.contains(place.index), !place.exits.isCertain else {
                return .value(.done((place.exits, nil)))
            }
            let inner = inner.with(context: place.exits.context)
            let condition = try undecided(extensions[place.index], task.with(context: inner.context))
            return perform(extensions[place.index].before, of: task, in: inner, if: condition, input: task.input).map {
                outcome in
                let outcome = outcome.withContext(or: inner.context)
                var exits = place.exits
                exits.values += outcome.exits
                exits.context = outcome.context ?? inner.context
                switch outcome.flow {
                case .end where condition == nil: return .done((exits, outcome))
                case .end: planner.noteEnding(outcome, of: run.id)
                case .exit:
                    exits.values.append(outcome.value)
                    exits.isCertain = condition == nil
                case .continue, .task: break
                }
                return .again((place.index + 1, exits))
            }
        }.then { exits, end -> Promise<Outcome> in
            if let end { return .value(end) }
            let task = task.with(context: exits.context)
            let replacement = exits.values.dropFirst().reduce(exits.values.first) { joined, value in
                joined.map { planner.join($0, value, named: task.name) }
            }
            if exits.isCertain {
                return try run.perform(task, replacement: replacement).map { $0.withContext(or: exits.context) }
            }
            return try run.perform(task).then { outcome -> Promise<Outcome> in
                let outcome = outcome.withContext(or: exits.context)
                guard let replacement else { return .value(outcome) }
                return try run.perform(task, replacement: replacement).map { replaced in
                    var joined = outcome
                    joined.value = planner.join(outcome.value, replaced.value, named: task.name)
                    joined.context = planner.join(
                        outcome.context ?? exits.context, replaced.context ?? exits.context,
                        named: "\(task.name).context")
                    return joined
                }
            }
        }.then { perform(extensions, after: task, with: $0) }
    }

    func perform(_ extensions: [Extension], after task: ActiveTask, with outcome: Outcome) -> Promise<Outcome> {
        guard outcome.flow != .end else { return .value(outcome) }
        let inner = task.extendingScope
        return repeating((index: 0, outcome: outcome)) {
            place -> Promise<Step<(index: Int, outcome: Outcome), Outcome>> in
            guard extensions.indices.contains(place.index) else { return .value(.done(place.outcome)) }
            let scope = inner.following(place.outcome)
            let condition = try undecided(extensions[place.index], task.with(context: scope.context))
            return perform(
                extensions[place.index].after, of: task, in: scope, if: condition, input: outcome.value
            ).map { after in
                let after = after.withContext(or: scope.context)
                guard after.flow != .end || condition != nil else { return .done(after) }
                if after.flow == .end { planner.noteEnding(after, of: run.id) }
                var next = place.outcome
                next.context = after.context
                return .again((place.index + 1, next))
            }
        }
    }

    /// The condition of an extension if only a run can tell whether it holds.
    private func undecided(_ extended: Extension, _ task: ActiveTask) throws(WorkflowError) -> Expression? {
        guard let condition = extended.condition else { return nil }
        var scope = task.scope
        scope.extended = task.descriptor
        return try scope.truth(of: condition, task.input) == nil ? condition : nil
    }

    private func perform(
        _ tasks: [Workflow.Task], of task: ActiveTask, in scope: Scope, if condition: Expression?, input: Value
    ) -> Promise<Outcome> {
        guard let condition, !tasks.isEmpty else { return perform(tasks, input: input, scope: scope, exit: .exit) }
        planner.open(PlannedBranch(.round, "", .condition(condition.shown)))
        return perform(tasks, input: input, scope: scope, exit: .exit).map { outcome in
            planner.close(outcome.flow == .end ? .workflow : nil)
            var outcome = outcome
            outcome.context = planner.join(
                outcome.context ?? scope.context, scope.context, named: "\(task.name).context")
            return outcome
        }.recover { error -> Promise<Outcome> in
            .value(try passOver(error, at: task, input: input, context: scope.context))
        }
    }
}
