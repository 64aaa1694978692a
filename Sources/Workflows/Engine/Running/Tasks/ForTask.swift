extension LiveTaskPerformer {
    /// Performs tasks for each element of a collection, each round with the output of the previous one.
    ///
    /// Specification: dsl-reference.md, "For". The condition is evaluated before each round, on the round's input; the
    /// loop ends when it does not hold.
    func perform(_ loop: Workflow.For, _ task: ActiveTask) throws -> Promise<Outcome> {
        let collection = try run.elements(of: loop, task)
        guard case .array(let elements) = collection else {
            throw WorkflowError(
                of: loop.collection.expression, "'for.in' must be an array, but it is \(collection.described)",
                in: task.definition)
        }
        let known = run.memory(of: task.execution)?.round
        return repeating((index: known?.number ?? 0, value: known?.data ?? task.input)) {
            round -> Promise<Step<(index: Int, value: Value), Outcome>> in
            guard elements.indices.contains(round.index) else {
                return .value(.done(Outcome(value: round.value, flow: task.then)))
            }
            var scope = task.scope
            scope.update { fields in
                fields.locals.reserveCapacity(fields.locals.count + 2)
                fields.locals[loop.item] = elements[round.index]
                fields.locals[loop.index] = .integer(round.index)
                fields.repeat(as: "for:" + String(round.index))
            }
            if round.index != known?.number {
                guard try scope.holds(loop.condition, round.value) else {
                    return .value(.done(Outcome(value: round.value, flow: task.then)))
                }
                run.record(
                    .iterationStarted(task.reference, round: round.index, data: round.value), task.occurrence)
            }
            return perform(loop.tasks, input: round.value, scope: scope)
                .mapAtOnce { outcome in
                    outcome.flow == .end ? .done(outcome) : .again((round.index + 1, outcome.value))
                }
        }
    }
}

extension Run {
    func elements(of loop: Workflow.For, _ task: ActiveTask) throws -> Value {
        try decide("in", in: task.execution) {
            switch loop.collection {
            case .expression(let expression): try task.scope.evaluate(expression, task.input)
            case .elements(let template, _): try task.scope.evaluate(template, task.input)
            }
        }
    }
}
