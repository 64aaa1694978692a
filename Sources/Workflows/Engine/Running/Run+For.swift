import Promises

extension Run {
    /// Performs tasks for each element of a collection, each round with what the round before gave.
    ///
    /// Specification: dsl-reference.md, "For". The condition is asked before each round, of the data that the round
    /// begins with; where it does not hold, the loop is over.
    func perform(_ loop: Workflow.For, of task: Workflow.Task, input: Value, scope: Scope) throws -> Promise<Outcome> {
        if let planner = runner.planner { return try plan(loop, of: task, input: input, scope: scope, planner) }
        let execution = scope.execution(of: task)
        let collection = try decide("in", in: execution) { try evaluate(loop.collection, input, scope) }
        guard case .array(let elements) = collection else {
            throw WorkflowError(
                .expression, detail: "'for.in' must give an array, but it gave \(collection.described)",
                instance: task.reference)
        }
        let known = memory(of: execution)?.round
        return repeating((index: known?.number ?? 0, value: known?.data ?? input)) {
            round -> Promise<Step<(index: Int, value: Value), Outcome>> in
            guard elements.indices.contains(round.index) else {
                return .value(.done(Outcome(value: round.value, flow: task.then)))
            }
            var scope = scope
            scope.locals[loop.item] = elements[round.index]
            scope.locals[loop.index] = .integer(round.index)
            if round.index != known?.number {
                guard try self.holds(loop.condition, round.value, scope) else {
                    return .value(.done(Outcome(value: round.value, flow: task.then)))
                }
                self.record(
                    .iterationStarted(task.reference, round: round.index, data: round.value), scope.occurrence)
            }
            return self.perform(loop.tasks, input: round.value, scope: scope.inside("for:" + String(round.index))).map {
                outcome in
                outcome.flow == .end ? .done(outcome) : .again((round.index + 1, outcome.value))
            }
        }
    }
}
