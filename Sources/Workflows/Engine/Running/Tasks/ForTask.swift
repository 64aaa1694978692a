import Promises

extension LiveTaskPerformer {
    /// Performs tasks for each element of a collection, each round with the output of the previous one.
    ///
    /// Specification: dsl-reference.md, "For". The condition is evaluated before each round, on the data that the round
    /// begins with; the loop ends when it does not hold.
    func perform(_ loop: Workflow.For, _ task: ActiveTask) throws -> Promise<Outcome> {
        let collection = try run.decide("in", in: task.execution) {
            try run.evaluate(loop.collection, task.input, task.scope)
        }
        guard case .array(let elements) = collection else {
            throw WorkflowError(
                .expression, detail: "'for.in' must be an array, but it is \(collection.described)",
                instance: task.reference)
        }
        let known = run.memory(of: task.execution)?.round
        return repeating((index: known?.number ?? 0, value: known?.data ?? task.input)) {
            round -> Promise<Step<(index: Int, value: Value), Outcome>> in
            guard elements.indices.contains(round.index) else {
                return .value(.done(Outcome(value: round.value, flow: task.then)))
            }
            var scope = task.scope
            scope.locals[loop.item] = elements[round.index]
            scope.locals[loop.index] = .integer(round.index)
            if round.index != known?.number {
                guard try run.holds(loop.condition, round.value, scope) else {
                    return .value(.done(Outcome(value: round.value, flow: task.then)))
                }
                run.record(
                    .iterationStarted(task.reference, round: round.index, data: round.value), task.occurrence)
            }
            return perform(loop.tasks, input: round.value, scope: scope.inside("for:" + String(round.index)))
                .map { outcome in
                    outcome.flow == .end ? .done(outcome) : .again((round.index + 1, outcome.value))
                }
        }
    }
}

extension DryTaskPerformer {
    /// A place in a loop of a plan.
    private typealias Round = (index: Int, value: Value)

    /// Plans the rounds of a loop: all of a known collection, or one of an unknown collection.
    func perform(_ loop: Workflow.For, _ task: ActiveTask) throws -> Promise<Outcome> {
        let collection = try run.evaluate(loop.collection, task.input, task.scope)
        let elements: [Value]
        var isOpen = true
        switch collection {
        case .array(let known):
            elements = known
            isOpen = collection.isOpenArray
        case .string(let text) where text.contains("‹"):
            elements = [.string(planner.symbol("\(loop.item.asSymbolName)[]"))]
        default:
            throw WorkflowError(
                .expression, detail: "'for.in' must be an array, but it is \(collection.described)",
                instance: task.reference)
        }
        return repeating((index: 0, value: task.input)) { [isOpen] round -> Promise<Step<Round, Outcome>> in
            guard elements.indices.contains(round.index) else {
                return .value(.done(Outcome(value: round.value, flow: task.then)))
            }
            let index = isOpen ? .string(planner.symbol(loop.index.asSymbolName)) : Value.integer(round.index)
            let scope = task.defining(loop.item, as: elements[round.index]).defining(loop.index, as: index).scope
            var certainty = isOpen ? PlannedCertainty.each(loop.collection.shown) : .certain
            if let condition = loop.condition {
                if !isOpen, dependsOnUnknowns(condition, round.value, scope) {
                    certainty = .loop(condition.shown)
                } else if !isOpen || !dependsOnUnknowns(condition, round.value, scope) {
                    guard try run.holds(condition, round.value, scope) else {
                        return .value(.done(Outcome(value: round.value, flow: task.then)))
                    }
                }
            }
            let title = isOpen ? "" : "\(round.index + 1) of \(elements.count)"
            let branch = PlannedBranch(.round, title, certainty)
            return perform(loop.tasks, as: branch, of: task, input: round.value, scope: scope).map {
                outcome in
                if outcome.flow == .end { return .done(outcome) }
                guard branch.certainty == .certain else {
                    return .done(Outcome(value: outcome.value, flow: task.then))
                }
                return .again((round.index + 1, outcome.value))
            }
        }
    }

    /// Plans tasks that are performed once for certain, or an unknown number of times.
    private func perform(
        _ tasks: [Workflow.Task], as branch: PlannedBranch, of task: ActiveTask, input: Value, scope: Scope
    ) -> Promise<Outcome> {
        let before = run.context
        planner.open(branch)
        return perform(tasks, input: input, scope: scope).map { outcome in
            planner.close(outcome.flow == .end ? .workflow : nil)
            guard branch.certainty != .certain else { return outcome }
            run.context = planner.join(run.context, before, named: task.name)
            if outcome.flow == .end {
                planner.noteEnding(outcome.value, of: run.id)
                return Outcome(value: input, flow: .continue)
            }
            return Outcome(value: planner.join(outcome.value, input, named: task.name), flow: .continue)
        }.recover { error -> Promise<Outcome> in
            let error = WorkflowError(error, at: task.reference)
            guard branch.certainty != .certain, !error.is(.cancelled) else { throw error }
            planner.close(.fault(error))
            run.context = before
            return .value(Outcome(value: input, flow: .continue))
        }
    }
}
