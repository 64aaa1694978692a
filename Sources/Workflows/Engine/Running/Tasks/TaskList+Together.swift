extension DryTaskPerformer {
    /// The ways that lead to each of the tasks after an undecided one.
    private struct Ways: Sendable {
        /// What is known at each task that a way reaches, by the task's index; the index after the last one is the end.
        var arrivals: [Int: (value: Value, context: Value)] = [:]
        /// The ways that leave the list before its end, and those that fail.
        var left: [Way] = []
    }

    /// Plans the tasks after an undecided one once for all ways that lead to them, because there are too many ways.
    ///
    /// Each task is performed in some of the ways, with what all of these know. Returns the ways out of the list.
    func planTogether(
        _ alternatives: [PlannedAlternative], after outcome: Outcome, context: Value, at turn: Turn
    ) -> Promise<[Way]> {
        var ways = Ways()
        do {
            for alternative in alternatives {
                try add(
                    alternative.flow, alternative.value ?? outcome.value, alternative.context ?? context,
                    from: turn.index, of: turn.list, to: &ways)
            }
        } catch {
            return Promise(error: error)
        }
        let titles = alternatives.map(\.title).joined(separator: ", ")
        planner.open(PlannedBranch(.alternative, titles, .case(titles, nil)))
        let count = turn.list.tasks.count
        return repeating((index: turn.index + 1, ways: ways)) {
            place -> Promise<Step<(index: Int, ways: Ways), [Way]>> in
            guard place.index < count else {
                planner.close()
                let end = place.ways.arrivals[count].map {
                    Way(outcome: Outcome(value: $0.value, flow: .continue, context: $0.context))
                }
                return .value(.done((end.map { [$0] } ?? []) + place.ways.left))
            }
            guard let arrival = place.ways.arrivals[place.index] else {
                return .value(.again((place.index + 1, place.ways)))
            }
            return planTask(place.index, with: arrival.value, arrival.context, at: turn, place.ways).map {
                .again((place.index + 1, $0))
            }
        }
    }

    private func planTask(
        _ index: Int, with value: Value, _ context: Value, at turn: Turn, _ ways: Ways
    ) -> Promise<Ways> {
        let (value, context) = enter(index, of: turn.list, with: value, context)
        let task = turn.list.tasks[index]
        let scope = turn.list.scope(after: nil).with(context: context)
        let certainty = PlannedCertainty.condition("'\(turn.task.name)' leads here")
        return perform(task, input: value, scope: scope, certainty).map { outcome in
            var ways = ways
            let after = outcome.context ?? context
            guard let alternatives = outcome.alternatives else {
                try add(outcome.flow, outcome.value, after, from: index, of: turn.list, to: &ways)
                return ways
            }
            for alternative in alternatives {
                try add(
                    alternative.flow, alternative.value ?? outcome.value, alternative.context ?? after, from: index,
                    of: turn.list, to: &ways)
            }
            return ways
        }.recover { error -> Promise<Ways> in
            let error = WorkflowError(error, at: task.reference)
            guard !error.is(.cancelled) else { throw error }
            var ways = ways
            ways.left.append(Way(error: error))
            return .value(ways)
        }
    }

    private func add(
        _ flow: FlowDirective, _ value: Value, _ context: Value, from index: Int, of list: PlannedList,
        to ways: inout Ways
    ) throws {
        let target: Int
        switch flow {
        case .end: return ways.left.append(Way(outcome: Outcome(value: value, flow: .end, context: context)))
        case .exit: return ways.left.append(Way(outcome: Outcome(value: value, flow: list.exit, context: context)))
        case .continue: target = index + 1
        case .task(let name): target = try list.tasks.index(of: name, after: index)
        }
        guard target > index else {
            list.jumps.withLock { $0.append(PlannedList.Jump(index: target, value: value, context: context)) }
            return
        }
        guard let known = ways.arrivals[target] else {
            ways.arrivals[target] = (value, context)
            return
        }
        let name = list.tasks[index].name
        ways.arrivals[target] = (
            planner.join(known.value, value, named: name), planner.join(known.context, context, named: name)
        )
    }
}
