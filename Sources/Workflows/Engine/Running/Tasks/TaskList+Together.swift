extension DryTaskPerformer {
    /// Plans the tasks up to where ways meet once for all of these, because some lead to the same task before.
    ///
    /// Each task is performed on some of the ways, with what is known on all of these.
    /// - Returns: Where they meet, with the ways that left the list before.
    func planTogether(
        _ ways: [PlannedPlace], in branch: PlannedBranch, after task: Workflow.Task, of list: PlannedList, to goal: Int
    ) -> Promise<PlannedPlace> {
        let certainty = PlannedCertainty.condition("'\(task.name)' leads here")
        planner.open(branch)
        let start = Arrivals(ways, named: task.name, planner)
        let first = ways.map(\.index).min() ?? goal
        return repeating((index: first, arrivals: start)) {
            at -> Promise<Step<(index: Int, arrivals: Arrivals), PlannedPlace>> in
            var arrivals = at.arrivals
            guard at.index < goal else {
                let end = arrivals.end(at: goal, of: ways)
                planner.close(end.end)
                return .value(.done(end))
            }
            guard let place = arrivals.places.removeValue(forKey: at.index) else {
                return .value(.again((at.index + 1, arrivals)))
            }
            let (value, context) = enter(place, of: list)
            let task = list.tasks[at.index]
            let scope = list.scope(after: nil).with(context: context)
            return perform(task, input: value, scope: scope, certainty).map { [arrivals] outcome in
                var arrivals = arrivals
                let alternatives =
                    outcome.alternatives ?? [PlannedAlternative(title: "", certainty: .certain, flow: outcome.flow)]
                for way in alternatives {
                    let output = Outcome(
                        value: way.value ?? outcome.value, flow: way.flow,
                        context: way.context ?? outcome.context ?? context)
                    arrivals.add(try place.followed(by: way.flow, of: output, in: list), named: task.name, planner)
                }
                return .again((at.index + 1, arrivals))
            }.recover { [arrivals] error -> Promise<Step<(index: Int, arrivals: Arrivals), PlannedPlace>> in
                let error = WorkflowError(error, at: task.reference)
                guard !error.is(.cancelled) else { throw error }
                var arrivals = arrivals
                arrivals.left.append(PlannedWay(error: error))
                return .value(.again((at.index + 1, arrivals)))
            }
        }
    }
}

/// What is known at each task that some of several ways reach, by the task's index.
private struct Arrivals: Sendable {
    var places: [Int: PlannedPlace] = [:]
    /// The ways that left the list.
    var left: [PlannedWay] = []

    /// The place where the ways meet; there is at least one way.
    func end(at goal: Int, of ways: [PlannedPlace]) -> PlannedPlace {
        var end = places[goal] ?? ways[0]
        (end.left, end.isClosed) = (left, places[goal] == nil)
        return end
    }

    init(_ ways: [PlannedPlace], named name: String, _ planner: Planner) {
        for way in ways { add(way, named: name, planner) }
    }

    mutating func add(_ place: PlannedPlace, named name: String, _ planner: Planner) {
        left += place.left
        guard !place.isClosed else { return }
        guard var known = places[place.index] else {
            places[place.index] = place
            places[place.index]?.left = []
            return
        }
        known.value = planner.join(known.value, place.value, named: name)
        known.context = planner.join(known.context, place.context, named: name)
        if known.jumps != place.jumps { known.jumps = nil }
        places[place.index] = known
    }
}
