extension Run {
    /// The recorded end of a task; nil if the task must be performed or continued.
    func recorded(_ task: TaskExecution, input: Value, scope: Scope) -> Promise<Outcome>? {
        guard let frame = memory(of: task) else { return nil }
        scope.reader.read(frame.pastPositions)
        switch frame.end {
        case .completed(let output, let then): return .value(Outcome(value: output, flow: then))
        case .skipped: return .value(Outcome(value: input, flow: .continue))
        case .failed(let error): return Promise(error: error)
        case nil: return nil
        }
    }

    /// Returns a value that the task determined before the run was resumed, or determines and records it.
    func decide(_ what: String, in task: TaskExecution, _ find: () throws -> Value) rethrows -> Value {
        if let known = memory(of: task)?.decisions[what] { return known }
        let value = try find()
        if task != .run { record(.decided(task.task, what: what, value: value), task.occurrence) }
        return value
    }

    /// A duration that is computed once, even if the run is resumed.
    func decide(
        _ what: String, in task: TaskExecution, _ source: DurationSource, _ data: Value, _ scope: Scope
    ) throws -> Duration {
        guard case .expression = source else { return try scope.duration(source, data) }
        let seconds = try decide(what, in: task) { .double(try scope.duration(source, data).seconds) }
        return .seconds(seconds.double ?? 0)
    }

    /// The rest of a duration that began at a moment; zero if it has passed.
    func rest(of duration: Duration, since start: Date?) -> Duration {
        guard let start else { return duration }
        return max(.zero, duration - .seconds(max(0, runner.now().timeIntervalSince(start))))
    }

    /// Resumes the active inner runs that no task waits for; all others are resumed by their tasks.
    func resumeLeftRuns() {
        guard let replay = journal.replay else { return }
        for inner in replay.inner where inner.parent.run == id {
            let task = TaskExecution(inner.parent.task, inner.parent.occurrence)
            guard workflow.document.value[task.task]?["run"]?["await"]?.bool == false,
                let state = replay.states[inner.run], !state.hasEnded,
                !isResumed || !isActive(task),
                let definition = try? library.workflow(inner.workflow)
            else { continue }
            let run = Run(definition, by: runner, inside: self, at: task, until: nil, resuming: inner.run)
            performer.resumeUnawaited(run, input: state.start?.input ?? [:], task)
        }
    }

    /// Suspends the run, as soon as no request that must be made once is pending.
    func suspend() {
        guard journal.stop() else { return }
        finishSuspension()
    }

    /// Ends the suspended run if a request or program that must be made once is still pending.
    func giveUp() {
        guard !journal.stop() else { return }
        let task = state.unsettledCalls.first?.task.task
        let error = WorkflowError(
            .unknownOutcome,
            detail: "the service ended before this task did, and its effect must happen once: check whether it "
                + "happened", instance: task ?? .root)
        record(.workflowFaulted(error))
        journal.flush()
        journal.end(with: error)
    }

    func finishSuspension() {
        for task in state.active(inside: .run).reversed() where task != .run {
            record(.taskSuspended(task.task), task.occurrence)
        }
        record(.workflowSuspended)
        journal.flush()
        journal.end(with: RunSuspended(run: id))
    }
}
