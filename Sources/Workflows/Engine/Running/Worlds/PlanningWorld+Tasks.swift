extension PlanningWorld {
    func begin(_ task: ActiveTask, _ certainty: PlannedCertainty, at path: @autoclosure () -> String) {
        var planned = PlannedTask(task.definition, certainty)
        planned.occurrence = path()
        planned.input = task.input
        planned.context = task.scope.context
        planned.locals = Dictionary(uniqueKeysWithValues: task.scope.locals.map { ($0.key, $0.value) })
        planner.begin(planned)
    }

    func skip(_ task: ActiveTask, at path: @autoclosure () -> String) {
        begin(task, .certain, at: path())
        planner.end { $0.outcome = .skipped }
    }

    func conclude(
        _ outcome: Promise<Outcome>, of task: ActiveTask, _ certainty: PlannedCertainty
    ) -> Promise<Outcome> {
        let before = task.scope.context
        return outcome.map { [self] outcome in
            planner.end { $0.setOutput(outcome.value) }
            return certainty == .certain ? outcome : undecided(outcome, of: task, certainty)
        }.recover { [self] error -> Promise<Outcome> in
            var error = WorkflowError(error, at: task.reference)
            error.context = error.context ?? before
            if isUnknown(error, of: task) {
                let outcome = Outcome(value: .unknown(planner.unknown(task.name)), flow: task.then)
                planner.end {
                    $0.outcome = .unknown(error.reason)
                    $0.setOutput(outcome.value)
                }
                return .value(outcome)
            }
            planner.end { $0.outcome = .faulted(error) }
            guard certainty != .certain else { throw error }
            return .value(Outcome(value: task.input, flow: .continue))
        }
    }

    /// The outcome of a task that is performed or skipped.
    private func undecided(_ outcome: Outcome, of task: ActiveTask, _ certainty: PlannedCertainty) -> Outcome {
        var result = outcome
        let before = task.scope.context
        let after = outcome.context ?? before
        guard outcome.flow == .continue, outcome.alternatives == nil else {
            let performed = PlannedAlternative(
                title: "performed", certainty: certainty, flow: outcome.flow, value: outcome.value, context: after)
            let skipped = PlannedAlternative(
                title: "skipped", certainty: .case("skipped", nil), flow: .continue, value: task.input, context: before)
            result.alternatives = (outcome.alternatives ?? [performed]) + [skipped]
            return result
        }
        result.value = planner.join(outcome.value, task.input, named: task.name)
        result.context = planner.join(after, before, named: task.name)
        return result
    }

    /// Whether a call fails in the plan only because its arguments are unknown.
    private func isUnknown(_ error: WorkflowError, of task: ActiveTask) -> Bool {
        guard error.is(.validation) || error.is(.expression),
            task.input.holdsUnknown || task.scope.context.holdsUnknown
        else { return false }
        switch task.definition.action {
        case .call, .run, .emit: return true
        default: return false
        }
    }
}

extension PlannedTask {
    fileprivate mutating func setOutput(_ value: Value) {
        output = value.drawn()
        markedOutput = value
    }
}
