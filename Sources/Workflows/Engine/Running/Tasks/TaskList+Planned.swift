extension DryTaskPerformer {
    private static let mostJumps = 10_000

    /// Plans tasks one by one; the ways on which a run may continue after a task are planned up to where they meet.
    ///
    /// If an undecided jump leads back to a task, the tasks from there are planned with the data common to all rounds.
    func perform(
        _ tasks: [Workflow.Task], input: Value, scope: Scope, exit: FlowDirective
    ) -> Promise<Outcome> {
        let list = PlannedList(tasks, scope: scope, exit: exit)
        let jump = run.lastJump(in: tasks, scope)
        let start = PlannedPlace(
            index: jump?.index ?? 0, value: jump?.data ?? input, context: scope.context, jumps: jump?.count ?? 0)
        guard list.canJumpBack else { return perform(list, from: start) }
        return planner.settle(at: "\(place(at: scope.occurrence)) from \(tasks[0].reference)") { former in
            var list = list
            list.entries = former?.entries.remembered(by: planner) { tasks[$0].name } ?? [:]
            return list
        } plan: { (list: PlannedList) in
            list.jumps.withLock { $0 = [] }
            return perform(list, from: start)
        } wider: { list, _ in
            var wider = list
            var isWider = false
            for jump in list.jumps.withLock({ $0 }) {
                var entry = wider.entries[jump.index] ?? PlannedRounds(data: jump.value, context: jump.context)
                if !entry.covers(data: jump.value, context: jump.context) {
                    entry.widen(data: jump.value, context: jump.context, by: planner, named: tasks[jump.index].name)
                    isWider = true
                }
                isWider = isWider || wider.entries[jump.index] == nil
                wider.entries[jump.index] = entry
            }
            return isWider ? wider : nil
        }.map { settled, outcome in
            if !settled.entries.isEmpty, run.hasBegun(tasks, scope) {
                let name = scope.task?.task.name ?? run.workflow.metadata.name
                planner.noteGap("the round in which the tasks of '\(name)' are counts as a whole one")
            }
            return outcome
        }
    }

    private func perform(_ list: PlannedList, from start: PlannedPlace) -> Promise<Outcome> {
        walk(list, from: start, to: list.tasks.count).map { try outcome(of: $0) }
    }

    /// Plans the tasks of a list from one place to another.
    private func walk(_ list: PlannedList, from start: PlannedPlace, to goal: Int) -> Promise<PlannedPlace> {
        typealias Progress = (place: PlannedPlace, count: Int)
        return repeating((place: start, count: 0)) { place, count -> Promise<Step<Progress, PlannedPlace>> in
            guard !place.isClosed, place.index < goal else { return .value(.done(place)) }
            let (value, context) = enter(place, of: list)
            let task = list.tasks[place.index]
            return perform(task, input: value, scope: list.scope(after: place.jumps).with(context: context)).then {
                outcome -> Promise<PlannedPlace> in
                let outcome = outcome.withContext(or: context)
                if let alternatives = outcome.alternatives {
                    return plan(alternatives, after: outcome, context: context, at: place, of: list, to: goal)
                }
                return .value(try place.followed(by: outcome.flow, of: outcome, in: list))
            }.map { next -> Step<Progress, PlannedPlace> in
                let count = next.index > place.index ? count : count + 1
                guard count <= Self.mostJumps else {
                    throw WorkflowError(
                        .runtime, detail: "the plan does not end: it jumped back \(count) times",
                        instance: task.reference)
                }
                return .again((next, count))
            }
        }
    }

    /// The data and the context with which a task begins: wider ones if an undecided jump leads back to it.
    func enter(_ place: PlannedPlace, of list: PlannedList) -> (value: Value, context: Value) {
        guard let entry = list.entries[place.index] else { return (place.value, place.context) }
        list.jumps.withLock { $0.append(place) }
        return (entry.data, entry.context)
    }

    /// Plans every way on which a run may continue, up to where they meet, and joins what is known of all of them there.
    private func plan(
        _ alternatives: [PlannedAlternative], after outcome: Outcome, context: Value, at place: PlannedPlace,
        of list: PlannedList, to goal: Int
    ) -> Promise<PlannedPlace> {
        planner.reopen()
        let ways: [PlannedPlace]
        do {
            ways = try alternatives.map { alternative in
                var start = place
                (start.left, start.isCertain) = ([], false)
                let output = Outcome(
                    value: alternative.value ?? outcome.value, flow: alternative.flow,
                    context: alternative.context ?? context)
                return try start.followed(by: alternative.flow, of: output, in: list)
            }
        } catch {
            return Promise(error: error)
        }
        let starts = ways.filter { !$0.isClosed }.map(\.index)
        // Where a single way continues, what follows is a part of it.
        let meeting = starts.count > 1 ? min(goal, list.meeting(of: starts)) : goal
        let isTogether =
            starts.count > 1
            ? planner.isDeep || list.overlap(starts, before: meeting)
            : !starts.isEmpty && !planner.takeAlternatives(alternatives.count)
        let task = list.tasks[place.index]
        let ends: Promise<[PlannedPlace]>
        if isTogether {
            let title = alternatives.map(\.title).joined(separator: ", ")
            let branch = PlannedBranch(.alternative, title, .case(title, nil))
            ends = planTogether(ways, in: branch, after: task, of: list, to: meeting).map { [$0] }
        } else {
            ends = repeating([PlannedPlace]()) { ends -> Promise<Step<[PlannedPlace], [PlannedPlace]>> in
                guard ways.indices.contains(ends.count) else { return .value(.done(ends)) }
                let alternative = alternatives[ends.count]
                planner.open(PlannedBranch(.alternative, alternative.title, alternative.certainty))
                return follow(ways[ends.count], after: task, of: list, to: meeting).map { .again(ends + [$0]) }
            }
        }
        return ends.then { ends -> Promise<PlannedPlace> in
            let joined = join(ends, at: meeting, after: place, named: task.name)
            guard !joined.isClosed, meeting < goal, ends.contains(where: { !$0.left.isEmpty }) else {
                return .value(joined)
            }
            return planRest(joined, after: task, of: list, to: goal)
        }.map { end in
            planner.end { _ in }
            return end
        }
    }

    /// Plans what follows where ways meet, after other ways have left the list.
    private func planRest(
        _ start: PlannedPlace, after task: Workflow.Task, of list: PlannedList, to goal: Int
    ) -> Promise<PlannedPlace> {
        let branch = PlannedBranch(.rest, "", .condition("'\(task.name)' leads here"))
        var fresh = start
        fresh.left = []
        let end: Promise<PlannedPlace>
        if planner.takeAlternatives(1) {
            planner.open(branch)
            end = follow(fresh, after: task, of: list, to: goal)
        } else {
            end = planTogether([fresh], in: branch, after: task, of: list, to: goal)
        }
        return end.map { end in
            var end = end
            end.left = start.left + end.left
            return end
        }
    }

    /// Plans one of several ways in the open branch.
    private func follow(
        _ start: PlannedPlace, after task: Workflow.Task, of list: PlannedList, to goal: Int
    ) -> Promise<PlannedPlace> {
        walk(list, from: start, to: goal).recover { error -> Promise<PlannedPlace> in
            let error = WorkflowError(error, at: task.reference)
            guard !error.is(.cancelled) else { throw error }
            return .value(start.leaving(PlannedWay(error: error)))
        }.map { end in
            planner.close(end.end)
            return end
        }
    }

    /// What is known where several ways meet.
    private func join(
        _ ends: [PlannedPlace], at meeting: Int, after place: PlannedPlace, named name: String
    ) -> PlannedPlace {
        let left = ends.flatMap(\.left)
        let arrived = ends.filter { !$0.isClosed }
        var joined = place
        joined.left += left
        joined.fork = name
        joined.isClosed = arrived.isEmpty
        guard let first = arrived.first else { return joined }
        joined.index = meeting
        joined.value = arrived.dropFirst().reduce(first.value) { planner.join($0, $1.value, named: name) }
        joined.context = arrived.dropFirst().reduce(first.context) { planner.join($0, $1.context, named: name) }
        joined.jumps = arrived.allSatisfy { $0.jumps == first.jumps } ? first.jumps : nil
        joined.isCertain = place.isCertain && left.isEmpty
        return joined
    }

    /// The outcome of a list, joined from all ways through it.
    private func outcome(of place: PlannedPlace) throws -> Outcome {
        let end = Outcome(value: place.value, flow: .continue, context: place.context)
        guard !place.left.isEmpty else { return end }
        let outcomes = place.left.compactMap(\.outcome) + (place.isClosed ? [] : [end])
        let name = place.fork ?? "output"
        let ends = outcomes.filter { $0.flow == .end }
        let others = outcomes.filter { $0.flow != .end }
        guard let first = others.first else {
            if let end = ends.first {
                return ends.dropFirst().reduce(end) { planner.join($0, $1, named: name) }
            }
            if let error = place.left.compactMap(\.error).first { throw error }
            return end
        }
        for end in ends { planner.noteEnding(end, of: run.id) }
        var joined = others.dropFirst().reduce(first) { planner.join($0, $1, named: name) }
        guard others.contains(where: { $0.flow != first.flow }) else { return joined }
        joined.flow = .continue
        joined.exits = others.filter { $0.flow == .exit }.map(\.value)
        return joined
    }
}
