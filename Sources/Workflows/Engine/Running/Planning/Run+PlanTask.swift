import Promises

extension Run {
    /// What the run gives, where one of several ways may have ended it before its last task.
    func planned(_ output: Value) -> Value { runner.planner?.output(output, of: id) ?? output }

    /// Plans one task: decides its condition where the data say it, and marks the task with it where they do not.
    func plan(
        _ task: Workflow.Task, input rawInput: Value, scope outer: Scope, _ planner: Planner
    ) -> Promise<Outcome> {
        var certainty = PlannedCertainty.certain
        if let condition = task.condition {
            var scope = outer
            scope.task = TaskDescriptor(
                task, scope.occurrence, rawInput: rawInput, startedAt: runner.now(), isPlanned: true)
            scope.input = rawInput
            do {
                if hangs(condition, rawInput, scope) {
                    certainty = .condition(condition.shown)
                } else if try !holds(condition, rawInput, scope) {
                    planner.begin(PlannedTask(task, .certain))
                    planner.end { $0.outcome = .skipped }
                    return .value(Outcome(value: rawInput, flow: .continue))
                }
            } catch {
                return Promise(error: WorkflowError(error, at: task.reference))
            }
        }
        var scope = outer
        scope.isPlanned = true
        let before = context
        planner.begin(PlannedTask(task, certainty))
        return perform(task, input: rawInput, scope: scope).map { [certainty] outcome in
            planner.end { $0.output = outcome.value }
            guard certainty != .certain else { return outcome }
            return self.undecided(outcome, of: task, certainty, input: rawInput, context: before, planner)
        }.recover { [certainty] error -> Promise<Outcome> in
            let error = WorkflowError(error, at: task.reference)
            if self.isUnknown(error, of: task, input: rawInput) {
                let outcome = Outcome(value: .string(planner.symbol(task.name.asSymbolName)), flow: task.then)
                planner.end {
                    $0.outcome = .unknown(error.detail ?? error.title ?? error.type)
                    $0.output = outcome.value
                }
                return .value(outcome)
            }
            planner.end { $0.outcome = .faulted(error) }
            guard certainty != .certain else { throw error }
            self.leave(before, in: task)
            return .value(Outcome(value: rawInput, flow: .continue))
        }
    }

    /// Whether an expression hangs on what is not known before the run.
    func hangs(_ expression: Expression, _ data: Value, _ scope: Scope) -> Bool {
        expression.hangsOnSymbols(data, scope.values(of: expression.variables))
    }

    /// Makes that the context, where a plan goes several ways from one place.
    func leave(_ context: Value, in task: Workflow.Task) {
        guard context != self.context else { return }
        note(context)
    }

    /// What follows from a task that is performed or passed by.
    private func undecided(
        _ outcome: Outcome, of task: Workflow.Task, _ certainty: PlannedCertainty, input: Value, context before: Value,
        _ planner: Planner
    ) -> Outcome {
        var result = outcome
        guard outcome.flow == .continue, outcome.alternatives == nil else {
            let performed = PlannedAlternative(
                title: "performed", certainty: certainty, flow: outcome.flow, value: outcome.value, context: context)
            let skipped = PlannedAlternative(
                title: "skipped", certainty: .case("skipped", nil), flow: .continue, value: input, context: before)
            result.alternatives = (outcome.alternatives ?? [performed]) + [skipped]
            return result
        }
        result.value = planner.join(outcome.value, input, named: task.name)
        leave(planner.join(context, before, named: task.name), in: task)
        return result
    }

    /// Whether a call fails in the plan only because nobody knows yet what it is called with.
    private func isUnknown(_ error: WorkflowError, of task: Workflow.Task, input: Value) -> Bool {
        guard error.is(.validation) || error.is(.expression), input.holdsSymbol || context.holdsSymbol else {
            return false
        }
        switch task.action {
        case .call, .run, .emit: return true
        default: return false
        }
    }
}
