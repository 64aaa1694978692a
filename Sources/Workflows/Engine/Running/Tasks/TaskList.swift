extension LiveTaskPerformer {
    /// A place in a list of tasks, the data there, and the number of jumps in the list.
    private typealias Place = (index: Int, value: Value, jumps: Int)

    func perform(
        _ tasks: [Workflow.Task], input: Value, scope: Scope, exit: FlowDirective
    ) -> Promise<Outcome> {
        let canJump = tasks.contains(where: \.canJump)
        let jump = canJump ? run.lastJump(in: tasks, scope) : nil
        let start: Place = jump.map { ($0.index, $0.data, $0.count) } ?? (0, input, 0)
        return repeating(start) { place -> Promise<Step<Place, Outcome>> in
            guard tasks.indices.contains(place.index) else {
                return .value(.done(Outcome(value: place.value, flow: .continue)))
            }
            let inner = canJump ? scope.inside("jump:\(place.jumps)") : scope
            return perform(tasks[place.index], input: place.value, scope: inner).mapAtOnce { outcome in
                switch outcome.flow {
                case .continue where place.index + 1 < tasks.count:
                    return .again((place.index + 1, outcome.value, place.jumps))
                case .continue: return .done(Outcome(value: outcome.value, flow: .continue))
                case .exit: return .done(Outcome(value: outcome.value, flow: exit))
                case .end: return .done(outcome)
                case .task(let name):
                    let index = try tasks.index(of: name, after: place.index)
                    let jumps = place.jumps + 1
                    run.record(
                        .jumped(tasks[index].reference, count: jumps, data: outcome.value),
                        scope.inside("jump:\(jumps)").occurrence)
                    return .again((index, outcome.value, jumps))
                }
            }
        }
    }
}

extension Run {
    /// The last jump in a list of tasks before the run was resumed.
    func lastJump(in tasks: [Workflow.Task], _ scope: Scope) -> RunState.Jump? {
        guard let first = tasks.first, let jump = memory(of: scope.owner)?.jumps[first.reference.list],
            jump.occurrence == scope.inside("jump:\(jump.count)").occurrence
        else { return nil }
        return jump
    }

    /// Whether the tasks of a list had begun when the run was resumed.
    func hasBegun(_ tasks: [Workflow.Task], _ scope: Scope) -> Bool {
        guard isResumed else { return false }
        let scopes = [scope, scope.inside("jump:0")]
        return lastJump(in: tasks, scope) != nil
            || tasks.contains { task in scopes.contains { memory(of: $0.execution(of: task)) != nil } }
    }
}

extension [Workflow.Task] {
    func index(of name: String, after index: Int) throws(WorkflowError) -> Int {
        guard let target = firstIndex(where: { $0.name == name }) else {
            throw WorkflowError(
                .configuration, detail: "there is no task '\(name)' to continue with", instance: self[index].reference)
        }
        return target
    }
}
