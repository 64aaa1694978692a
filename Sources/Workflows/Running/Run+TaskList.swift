import Promises

/// What a task gave, and where the workflow goes on.
struct Outcome: Sendable {
    var value: Value
    var flow: FlowDirective
}

extension Run {
    /// Performs tasks one after the other, from the first on, each with the output of the one before it.
    /// - Returns: The output of the last task; its flow is `end` where the workflow is complete, else `continue`.
    func perform(_ tasks: [Workflow.Task], input: Value, scope: Scope) -> Promise<Outcome> {
        repeating((index: 0, value: input)) { place -> Promise<Step<(index: Int, value: Value), Outcome>> in
            guard tasks.indices.contains(place.index) else {
                return .value(.done(Outcome(value: place.value, flow: .continue)))
            }
            return self.perform(tasks[place.index], input: place.value, scope: scope).map { outcome in
                switch outcome.flow {
                case .continue: return .again((place.index + 1, outcome.value))
                case .exit: return .done(Outcome(value: outcome.value, flow: .continue))
                case .end: return .done(outcome)
                case .task(let name):
                    guard let index = tasks.firstIndex(where: { $0.name == name }) else {
                        throw WorkflowError(
                            .configuration, detail: "there is no task '\(name)' to go on with",
                            instance: tasks[place.index].reference)
                    }
                    return .again((index, outcome.value))
                }
            }
        }
    }
}
