extension LiveTaskPerformer {
    func perform(_ cases: [Workflow.Case], _ task: ActiveTask) throws(WorkflowError) -> Outcome {
        var taken = cases.first { $0.condition == nil }
        for candidate in cases where candidate.condition != nil {
            guard try task.scope.holds(candidate.condition, task.input) else { continue }
            taken = candidate
            break
        }
        return Outcome(value: task.input, flow: taken?.then ?? task.then)
    }
}

extension DryTaskPerformer {
    /// Plans the case that is taken, or every case that may be taken.
    ///
    /// No case is evaluated after one that is certain.
    func perform(_ cases: [Workflow.Case], _ task: ActiveTask) throws(WorkflowError) -> Outcome {
        var alternatives: [PlannedAlternative] = []
        var last = cases.first { $0.condition == nil }
        for candidate in cases {
            guard let condition = candidate.condition else { continue }
            switch try task.scope.truth(of: condition, task.input) {
            case nil:
                alternatives.append(
                    PlannedAlternative(
                        title: candidate.name, certainty: .case(candidate.name, condition.shown), flow: candidate.then)
                )
                continue
            case true?: last = candidate
            case false?: continue
            }
            break
        }
        let flow = last?.then ?? task.then
        guard !alternatives.isEmpty else {
            planner.note { $0.subject = last?.name }
            return Outcome(value: task.input, flow: flow)
        }
        let name = last?.name ?? "none of them"
        alternatives.append(PlannedAlternative(title: name, certainty: .case(name, nil), flow: flow))
        return Outcome(value: task.input, flow: .continue, alternatives: alternatives)
    }
}
