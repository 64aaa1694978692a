import Promises

extension LiveTaskPerformer {
    /// A place in a list of tasks, the data there, and the number of jumps in the list.
    private typealias Place = (index: Int, value: Value, jumps: Int)

    func perform(
        _ tasks: [Workflow.Task], input: Value, scope: Scope, exit: FlowDirective
    ) -> Promise<Outcome> {
        let canJump = tasks.contains(where: \.canJump)
        var start: Place = (0, input, 0)
        if canJump, let list = tasks.first?.reference.list,
            let jump = run.memory(of: scope.owner)?.jumps[list]
        {
            start = (jump.index, jump.data, jump.count)
        }
        return repeating(start) { place -> Promise<Step<Place, Outcome>> in
            guard tasks.indices.contains(place.index) else {
                return .value(.done(Outcome(value: place.value, flow: .continue)))
            }
            let inner = canJump ? scope.inside("jump:\(place.jumps)") : scope
            return perform(tasks[place.index], input: place.value, scope: inner).map { outcome in
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

extension DryTaskPerformer {
    /// The maximum number of jumps in one list of a plan.
    private static let mostJumps = 10_000

    /// The result of one of several ways.
    private struct Way: Sendable {
        var outcome: Outcome?
        var context: Value?
        var error: WorkflowError?
    }

    /// Plans tasks one after the other, and every way to continue if a task cannot decide between several.
    func perform(
        _ tasks: [Workflow.Task], input: Value, scope: Scope, exit: FlowDirective
    ) -> Promise<Outcome> {
        perform(tasks, from: 0, input: input, scope: scope, exit: exit)
    }

    private func perform(
        _ tasks: [Workflow.Task], from start: Int, input: Value, scope: Scope, exit: FlowDirective
    ) -> Promise<Outcome> {
        typealias Place = (index: Int, value: Value, jumps: Int)
        return repeating((index: start, value: input, jumps: 0)) { place -> Promise<Step<Place, Outcome>> in
            guard tasks.indices.contains(place.index) else {
                return .value(.done(Outcome(value: place.value, flow: .continue)))
            }
            return perform(tasks[place.index], input: place.value, scope: scope).then {
                outcome -> Promise<Step<Place, Outcome>> in
                if let alternatives = outcome.alternatives {
                    let turn = Turn(tasks: tasks, index: place.index, scope: scope, exit: exit)
                    return plan(alternatives, after: outcome, at: turn).map { .done($0) }
                }
                switch outcome.flow {
                case .continue: return .value(.again((place.index + 1, outcome.value, place.jumps)))
                case .exit: return .value(.done(Outcome(value: outcome.value, flow: exit)))
                case .end: return .value(.done(outcome))
                case .task(let name):
                    let index = try tasks.index(of: name, after: place.index)
                    guard place.jumps < Self.mostJumps else {
                        throw WorkflowError(
                            .runtime, detail: "the plan does not end: it jumped to '\(name)' \(place.jumps) times",
                            instance: tasks[place.index].reference)
                    }
                    return .value(.again((index, outcome.value, place.jumps + 1)))
                }
            }
        }
    }

    /// A place in a list from which there are several ways to continue.
    private struct Turn: Sendable {
        var tasks: [Workflow.Task]
        var index: Int
        var scope: Scope
        var exit: FlowDirective

        var task: Workflow.Task { tasks[index] }
    }

    /// Plans every way up to the end of the list, and joins what is known of all of them.
    private func plan(
        _ alternatives: [PlannedAlternative], after outcome: Outcome, at turn: Turn
    ) -> Promise<Outcome> {
        let before = run.context
        planner.reopen()
        return repeating([Way]()) { ways -> Promise<Step<[Way], [Way]>> in
            guard alternatives.indices.contains(ways.count) else { return .value(.done(ways)) }
            let alternative = alternatives[ways.count]
            planner.open(PlannedBranch(.alternative, alternative.title, alternative.certainty))
            guard planner.takeAlternative() else {
                planner.close(.cut)
                return .value(.again(ways + [Way()]))
            }
            run.context = alternative.context ?? before
            return follow(alternative, with: alternative.value ?? outcome.value, at: turn)
                .map { .again(ways + [$0]) }
        }.map { ways in
            planner.end { _ in }
            return try join(ways, after: outcome, at: turn)
        }
    }

    private func follow(
        _ alternative: PlannedAlternative, with value: Value, at turn: Turn
    ) -> Promise<Way> {
        let start: Int
        switch alternative.flow {
        case .end:
            planner.close(.workflow)
            return .value(Way(outcome: Outcome(value: value, flow: .end), context: run.context))
        case .exit:
            planner.close()
            return .value(Way(outcome: Outcome(value: value, flow: turn.exit), context: run.context))
        case .continue: start = turn.index + 1
        case .task(let name):
            do { start = try turn.tasks.index(of: name, after: turn.index) } catch {
                return Promise(error: error)
            }
            guard start > turn.index else {
                planner.close(.again(name))
                return .value(Way())
            }
        }
        return perform(turn.tasks, from: start, input: value, scope: turn.scope, exit: turn.exit).map { outcome in
            planner.close(outcome.flow == .end ? .workflow : nil)
            return Way(outcome: outcome, context: run.context)
        }.recover { error -> Promise<Way> in
            let error = WorkflowError(error, at: turn.task.reference)
            guard !error.is(.cancelled) else { throw error }
            planner.close(.fault(error))
            return .value(Way(error: error))
        }
    }

    private func join(_ ways: [Way], after outcome: Outcome, at turn: Turn) throws -> Outcome {
        let name = turn.task.name
        let ends = ways.compactMap(\.outcome).filter { $0.flow == .end }
        let others = ways.filter { way in way.outcome.map { $0.flow != .end } ?? false }
        guard let first = others.first?.outcome else {
            if let end = ends.first {
                return ends.dropFirst().reduce(end) {
                    Outcome(value: planner.join($0.value, $1.value, named: name), flow: .end)
                }
            }
            if let error = ways.compactMap(\.error).first, ways.allSatisfy({ $0.error != nil }) { throw error }
            return Outcome(value: outcome.value, flow: .continue)
        }
        for end in ends { planner.noteEnding(end.value, of: run.id) }
        let value = others.compactMap(\.outcome?.value).dropFirst().reduce(first.value) {
            planner.join($0, $1, named: name)
        }
        let contexts = others.compactMap(\.context)
        if let context = contexts.first {
            run.context = contexts.dropFirst().reduce(context) { planner.join($0, $1, named: name) }
        }
        let isOneWay = others.allSatisfy { $0.outcome?.flow == first.flow }
        return Outcome(value: value, flow: isOneWay ? first.flow : .continue)
    }
}

extension [Workflow.Task] {
    /// The index of the task that a directive names.
    fileprivate func index(of name: String, after index: Int) throws(WorkflowError) -> Int {
        guard let target = firstIndex(where: { $0.name == name }) else {
            throw WorkflowError(
                .configuration, detail: "there is no task '\(name)' to continue with", instance: self[index].reference)
        }
        return target
    }
}

extension Workflow.Task {
    /// Whether the task can jump to a named task, so that tasks of its list can be performed more than once.
    fileprivate var canJump: Bool {
        if case .task = then { return true }
        guard case .switch(let cases) = action else { return false }
        return cases.contains { if case .task = $0.then { true } else { false } }
    }
}
