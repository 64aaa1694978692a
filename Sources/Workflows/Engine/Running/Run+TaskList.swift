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
    /// A place in a list of tasks, the data there, and how often a directive has led to a task by its name.
    private typealias Place = (index: Int, value: Value, jumps: Int)

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
        let canJump = tasks.contains(where: \.canJump)
        var start: Place = (0, input, 0)
        if canJump, let list = tasks.first?.reference.list,
            let jump = memory(of: scope.owner)?.jumps[list]
        {
            start = (jump.index, jump.data, jump.count)
        }
        return repeating(start) { place -> Promise<Step<Place, Outcome>> in
            guard tasks.indices.contains(place.index) else {
                return .value(.done(Outcome(value: place.value, flow: .continue)))
            }
            let inner = canJump ? scope.inside("jump:\(place.jumps)") : scope
            return self.perform(tasks[place.index], input: place.value, scope: inner).map { outcome in
                switch outcome.flow {
                case .continue where place.index + 1 < tasks.count:
                    return .again((place.index + 1, outcome.value, place.jumps))
                case .continue: return .done(Outcome(value: outcome.value, flow: .continue))
                case .exit: return .done(Outcome(value: outcome.value, flow: exit))
                case .end: return .done(outcome)
                case .task(let name):
                    guard let index = tasks.firstIndex(where: { $0.name == name }) else {
                        throw WorkflowError(
                            .configuration, detail: "there is no task '\(name)' to go on with",
                            instance: tasks[place.index].reference)
                    }
                    let jumps = place.jumps + 1
                    self.record(
                        .jumped(tasks[index].reference, count: jumps, data: outcome.value),
                        scope.inside("jump:\(jumps)").occurrence)
                    return .again((index, outcome.value, jumps))
                }
            }
        }
    }
}

extension Workflow.Task {
    /// Whether the task can lead to another one by its name, so that tasks of its list are performed more than once.
    fileprivate var canJump: Bool {
        if case .task = then { return true }
        guard case .switch(let cases) = action else { return false }
        return cases.contains { if case .task = $0.then { true } else { false } }
    }
}
