extension Run {
    /// The outcome of the case that is taken, or of all that may be; none is evaluated after a certain one.
    func perform(_ cases: [Workflow.Case], _ task: ActiveTask) throws(WorkflowError) -> Outcome {
        var open: [PlannedAlternative] = []
        var taken = cases.first { $0.condition == nil }
        for candidate in cases {
            guard let condition = candidate.condition else { continue }
            switch try task.scope.truth(of: condition, task.input) {
            case nil:
                open.append(
                    PlannedAlternative(
                        title: candidate.name, certainty: .case(candidate.name, condition.shown), flow: candidate.then)
                )
                continue
            case true?: taken = candidate
            case false?: continue
            }
            break
        }
        let flow = taken?.then ?? task.then
        guard !open.isEmpty else {
            world.note { $0.subject = taken?.name }
            return Outcome(value: task.input, flow: flow)
        }
        let name = taken?.name ?? "none of them"
        open.append(PlannedAlternative(title: name, certainty: .case(name, nil), flow: flow))
        return Outcome(value: task.input, flow: .continue, alternatives: open)
    }
}
