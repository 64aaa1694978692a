extension LiveTaskPerformer {
    /// Performs tasks, and retries them or handles the error if they raise one that is caught.
    ///
    /// The tasks are retried as often as the retry policy allows; then `catch.do` handles the error. Without both, the
    /// error is dropped and the output is the input. With retries but neither `catch.do` nor `catch.then`, the last
    /// error is raised to the tasks around this one. After a handled error, the workflow continues at `catch.then`, or
    /// else at the task's own `then`.
    func perform(_ attempt: Workflow.Try, _ task: ActiveTask) -> Promise<Outcome> {
        let handler = attempt.catch
        let runner = run.runner
        let known = run.memory(of: task.execution)
        let spent = known?.limitsBeginAt.map { runner.now().timeIntervalSince($0) } ?? 0
        let startedAt = runner.clock.now - .seconds(max(0, spent))
        if handler.tasks?.contains(where: run.mayUndo) ?? false { run.journal.keepEffects() }
        if let error = known?.decisions["catch"]?.object, let tasks = handler.tasks {
            let failed = task.failed(with: .object(error), as: handler.variable)
            return perform(tasks, input: task.input, scope: failed.scope)
                .map { $0.followed(by: handler.then ?? task.then) }
        }
        let first = known?.retry?.attempt ?? 1
        // Continues the wait in which the run was interrupted.
        let rest = known?.retry.map { $0.beginsAt.timeIntervalSince(runner.now()) } ?? 0
        guard rest > 0 else {
            return perform(attempt, from: first, known, since: startedAt, task)
        }
        return runner.clock.pause(for: .seconds(rest)).then {
            perform(attempt, from: first, known, since: startedAt, task)
        }
    }

    private func perform(
        _ attempt: Workflow.Try, from first: Int, _ known: RunState.Frame?, since startedAt: Duration,
        _ task: ActiveTask
    ) -> Promise<Outcome> {
        let handler = attempt.catch
        let forgiven = known?.forgivenAttempts ?? 0
        return repeating(first) { number -> Promise<Step<Int, Outcome>> in
            let start = number == first ? known.map(\.attemptBeganAt) : nil
            let inner = handler.retry == nil ? task.scope : task.scope.inside("try:\(number)")
            return try run.within(
                handler.retry?.attemptDuration, since: start, as: "attempt \(number)", input: task.input,
                scope: task.scope
            ) { limited in
                var inner = inner
                inner.interrupt = limited.interrupt
                return perform(attempt.tasks, input: task.input, scope: inner)
            }.map { .done($0.followed(by: task.then)) }.recover {
                error -> Promise<Step<Int, Outcome>> in
                let error = WorkflowError(error, at: task.reference)
                let failed = task.failed(with: .object(error.members), as: handler.variable)
                guard try run.isCaught(error, by: handler, failed) else { throw error }
                let elapsed = run.runner.clock.now - startedAt
                if let policy = handler.retry,
                    let wait = try run.wait(
                        beforeRetry: number - forgiven, by: policy, of: handler, after: error, elapsed: elapsed, failed)
                {
                    run.record(
                        .taskRetried(task.reference, attempt: number + 1, delay: wait, error: error), task.occurrence)
                    return run.runner.clock.pause(for: wait).map { .again(number + 1) }
                }
                guard let tasks = handler.tasks else {
                    if handler.retry != nil, handler.then == nil { throw error }
                    return .value(.done(Outcome(value: task.input, flow: handler.then ?? task.then)))
                }
                _ = run.decide("catch", in: task.execution) { .object(error.members) }
                return perform(tasks, input: task.input, scope: failed.scope)
                    .map { .done($0.followed(by: handler.then ?? task.then)) }
            }
        }
    }
}

extension Run {
    /// Whether a handler catches an error, which is the input of its conditions.
    func isCaught(
        _ error: WorkflowError, by handler: Workflow.Catch, _ task: ActiveTask
    ) throws(WorkflowError) -> Bool {
        // A cancellation is never caught.
        guard !error.is(.cancelled), handler.filter?.matches(error) ?? true else { return false }
        let raised = Value.object(error.members)
        guard try task.scope.holds(handler.when, raised) else { return false }
        guard let exception = handler.exceptWhen else { return true }
        return try !task.scope.holds(exception, raised)
    }
}

extension ErrorFilter {
    func matches(_ error: WorkflowError) -> Bool {
        members.allSatisfy { Self.isWanted($1, error.members[Self.member($0)]?.revealed, as: $0) }
    }
}
