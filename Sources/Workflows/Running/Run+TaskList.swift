import Promises

/// What a task gave, and where the workflow goes on.
struct Outcome: Sendable {
    var value: Value
    var flow: FlowDirective
    /// What the call proved who asks with, where it did.
    var authorization: Value?
    /// The ways on where a plan cannot decide between them; nil where there is one.
    var alternatives: [PlannedAlternative]?
}

extension Run {
    /// A place in a list of tasks, and the data there.
    private typealias Place = (index: Int, value: Value)

    /// Performs tasks one after the other, from the first on, each with the output of the one before it.
    /// - Parameters:
    ///   - tasks: The tasks.
    ///   - input: The raw input of the first one.
    ///   - scope: What their expressions can read.
    ///   - exit: The flow of the outcome where a task leaves the list.
    /// - Returns: The output of the last task; its flow is `end` where the workflow is complete, else `continue`.
    func perform(
        _ tasks: [Workflow.Task], input: Value, scope: Scope, exit: FlowDirective = .continue
    ) -> Promise<Outcome> {
        if let planner = runner.planner { return plan(tasks, input: input, scope: scope, exit: exit, planner) }
        return repeating((index: 0, value: input)) { place -> Promise<Step<Place, Outcome>> in
            guard tasks.indices.contains(place.index) else {
                return .value(.done(Outcome(value: place.value, flow: .continue)))
            }
            return self.perform(tasks[place.index], input: place.value, scope: scope).map { outcome in
                switch outcome.flow {
                case .continue: return .again((place.index + 1, outcome.value))
                case .exit: return .done(Outcome(value: outcome.value, flow: exit))
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
