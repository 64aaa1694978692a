import Promises

extension Run {
    /// How often directives can lead to tasks by their names in one list of a plan.
    private static let mostJumps = 10_000

    /// Where one of several ways led.
    private struct Way: Sendable {
        var outcome: Outcome?
        var context: Value?
        var error: WorkflowError?
    }

    /// Plans tasks one after the other, and every way on where a task does not decide between several.
    func plan(
        _ tasks: [Workflow.Task], from start: Int = 0, input: Value, scope: Scope, exit: FlowDirective,
        _ planner: Planner
    ) -> Promise<Outcome> {
        typealias Place = (index: Int, value: Value, jumps: Int)
        return repeating((index: start, value: input, jumps: 0)) { place -> Promise<Step<Place, Outcome>> in
            guard tasks.indices.contains(place.index) else {
                return .value(.done(Outcome(value: place.value, flow: .continue)))
            }
            return self.perform(tasks[place.index], input: place.value, scope: scope).then {
                outcome -> Promise<Step<Place, Outcome>> in
                if let alternatives = outcome.alternatives {
                    let turn = Turn(tasks: tasks, index: place.index, scope: scope, exit: exit)
                    return self.plan(alternatives, after: outcome, at: turn, planner).map { .done($0) }
                }
                switch outcome.flow {
                case .continue: return .value(.again((place.index + 1, outcome.value, place.jumps)))
                case .exit: return .value(.done(Outcome(value: outcome.value, flow: exit)))
                case .end: return .value(.done(outcome))
                case .task(let name):
                    let index = try Self.index(of: name, in: tasks, after: place.index)
                    guard place.jumps < Self.mostJumps else {
                        throw WorkflowError(
                            .runtime, detail: "the plan does not end: '\(name)' was gone to \(place.jumps) times",
                            instance: tasks[place.index].reference)
                    }
                    return .value(.again((index, outcome.value, place.jumps + 1)))
                }
            }
        }
    }

    /// A place in a list from which several ways lead on.
    private struct Turn: Sendable {
        var tasks: [Workflow.Task]
        var index: Int
        var scope: Scope
        var exit: FlowDirective

        var task: Workflow.Task { tasks[index] }
    }

    private static func index(of name: String, in tasks: [Workflow.Task], after index: Int) throws -> Int {
        guard let target = tasks.firstIndex(where: { $0.name == name }) else {
            throw WorkflowError(
                .configuration, detail: "there is no task '\(name)' to go on with", instance: tasks[index].reference)
        }
        return target
    }

    /// Plans every way on, each up to the end of the list, and says what is known whichever is taken.
    private func plan(
        _ alternatives: [PlannedAlternative], after outcome: Outcome, at turn: Turn, _ planner: Planner
    ) -> Promise<Outcome> {
        let before = context
        planner.reopen()
        return repeating([Way]()) { ways -> Promise<Step<[Way], [Way]>> in
            guard alternatives.indices.contains(ways.count) else { return .value(.done(ways)) }
            let alternative = alternatives[ways.count]
            planner.open(PlannedBranch(.alternative, alternative.title, alternative.certainty))
            guard planner.takeAlternative() else {
                planner.close(.cut)
                return .value(.again(ways + [Way()]))
            }
            self.leave(alternative.context ?? before, in: turn.task)
            return self.follow(alternative, with: alternative.value ?? outcome.value, at: turn, planner)
                .map { .again(ways + [$0]) }
        }.map { ways in
            planner.end { _ in }
            return try self.join(ways, after: outcome, at: turn, planner)
        }
    }

    private func follow(
        _ alternative: PlannedAlternative, with value: Value, at turn: Turn, _ planner: Planner
    ) -> Promise<Way> {
        let start: Int
        switch alternative.flow {
        case .end:
            planner.close(.workflow)
            return .value(Way(outcome: Outcome(value: value, flow: .end), context: context))
        case .exit:
            planner.close()
            return .value(Way(outcome: Outcome(value: value, flow: turn.exit), context: context))
        case .continue: start = turn.index + 1
        case .task(let name):
            do { start = try Self.index(of: name, in: turn.tasks, after: turn.index) } catch {
                return Promise(error: error)
            }
            guard start > turn.index else {
                planner.close(.again(name))
                return .value(Way())
            }
        }
        return plan(turn.tasks, from: start, input: value, scope: turn.scope, exit: turn.exit, planner).map { outcome in
            planner.close(outcome.flow == .end ? .workflow : nil)
            return Way(outcome: outcome, context: self.context)
        }.recover { error -> Promise<Way> in
            let error = WorkflowError(error, at: turn.task.reference)
            guard !error.is(.cancelled) else { throw error }
            planner.close(.fault(error))
            return .value(Way(error: error))
        }
    }

    private func join(_ ways: [Way], after outcome: Outcome, at turn: Turn, _ planner: Planner) throws -> Outcome {
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
        for end in ends { planner.noteEnding(end.value, of: id) }
        let value = others.compactMap(\.outcome?.value).dropFirst().reduce(first.value) {
            planner.join($0, $1, named: name)
        }
        let contexts = others.compactMap(\.context)
        if let context = contexts.first {
            leave(contexts.dropFirst().reduce(context) { planner.join($0, $1, named: name) }, in: turn.task)
        }
        let isOneWay = others.allSatisfy { $0.outcome?.flow == first.flow }
        return Outcome(value: value, flow: isOneWay ? first.flow : .continue)
    }
}
