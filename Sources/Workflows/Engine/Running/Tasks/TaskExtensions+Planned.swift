import Promises

extension DryTaskPerformer {
    /// Plans a task with the tasks of its extensions, of which some may not apply and some may replace the task.
    func perform(_ task: ActiveTask, between extensions: [Extension]) -> Promise<Outcome> {
        typealias Exits = (values: [Value], isCertain: Bool)
        let inner = task.extendingScope
        return repeating((index: 0, exits: Exits([], false))) {
            place -> Promise<Step<(index: Int, exits: Exits), (exits: Exits, end: Outcome?)>> in
            guard extensions.indices.contains(place.index), !place.exits.isCertain else {
                return .value(.done((place.exits, nil)))
            }
            let condition = try undecided(extensions[place.index], task)
            return perform(extensions[place.index].before, of: task, in: inner, if: condition, input: task.input).map {
                outcome in
                var exits = place.exits
                exits.values += outcome.exits
                switch outcome.flow {
                case .end where condition == nil: return .done((exits, outcome))
                case .end: planner.noteEnding(outcome.value, of: run.id)
                case .exit:
                    exits.values.append(outcome.value)
                    exits.isCertain = condition == nil
                case .continue, .task: break
                }
                return .again((place.index + 1, exits))
            }
        }.then { exits, end -> Promise<Outcome> in
            if let end { return .value(end) }
            let replacement = exits.values.dropFirst().reduce(exits.values.first) { joined, value in
                joined.map { planner.join($0, value, named: task.name) }
            }
            if exits.isCertain { return try run.perform(task, replacement: replacement) }
            let before = run.context
            return try run.perform(task).then { outcome -> Promise<Outcome> in
                guard let replacement else { return .value(outcome) }
                let after = run.context
                run.context = before
                return try run.perform(task, replacement: replacement).map { replaced in
                    run.context = planner.join(after, run.context, named: "\(task.name).context")
                    var joined = outcome
                    joined.value = planner.join(outcome.value, replaced.value, named: task.name)
                    return joined
                }
            }
        }.then { outcome -> Promise<Outcome> in
            guard outcome.flow != .end else { return .value(outcome) }
            return repeating(0) { index -> Promise<Step<Int, Outcome>> in
                guard extensions.indices.contains(index) else { return .value(.done(outcome)) }
                let condition = try undecided(extensions[index], task)
                return perform(extensions[index].after, of: task, in: inner, if: condition, input: outcome.value).map {
                    after in
                    guard after.flow == .end else { return .again(index + 1) }
                    guard condition != nil else { return .done(after) }
                    planner.noteEnding(after.value, of: run.id)
                    return .again(index + 1)
                }
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
        let before = run.context
        planner.open(PlannedBranch(.round, "", .condition(condition.shown)))
        return perform(tasks, input: input, scope: scope, exit: .exit).map { outcome in
            planner.close(outcome.flow == .end ? .workflow : nil)
            run.context = planner.join(run.context, before, named: "\(task.name).context")
            return outcome
        }.recover { error -> Promise<Outcome> in
            .value(try passOver(error, at: task, input: input, context: before))
        }
    }
}
