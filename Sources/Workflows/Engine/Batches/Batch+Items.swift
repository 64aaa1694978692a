extension Batch {
    /// The error of an item whose run must not continue before the user says what happened.
    static let question = WorkflowError(
        .unknownOutcome,
        detail: "the run ended during a task whose effect must happen once: check whether it happened")

    /// The error of an item that another run took back.
    static let undone = WorkflowError(
        .configuration, detail: "the item was undone, and what its next tasks need may be gone: run it in another batch"
    )

    /// Begins or continues an item's run.
    func begin(_ item: BatchItem) {
        let identity = past.identity(of: item, in: journal, at: runner.now())
        let (name, startedAt) = (identity.id, identity.startedAt)
        var entry = BatchEntry(
            item: item.name, key: secrets.conceal(item.key), state: .completed, run: name, place: item.line,
            startedAt: startedAt, endedAt: startedAt)
        state.withLock { $0.atWork += 1 }
        notify(.itemBegan(item: item.name))
        if let last = past.events[item.name]?.last(where: { $0.run == name }),
            case .workflowCompleted(let output) = [last].shown[0].kind
        {
            // The process ended before it wrote the item's line.
            entry.endedAt = last.time
            return end(entry, .success(output))
        }
        perform(item, as: identity)
            .map {
                Result<Value, any Error>.success($0)
            }.recover(policy: .allErrors) { Promise.value(.failure($0)) }.done { [entry] outcome in
                var entry = entry
                entry.endedAt = self.runner.now().inWholeMilliseconds
                self.end(entry, outcome)
            }.cauterize()
    }

    private func perform(_ item: BatchItem, as identity: RunIdentity) -> Promise<Value> {
        guard !past.wasUndone(item) else { return Promise(error: Self.undone) }
        let log = RunLog(sharing: journal)
        let runner = runner(of: item)
        let allowed = approved.map { runner.approved(for: item, of: workflow, as: $0, library) } ?? .value(runner)
        return allowed.then { [workflow, library, past] runner in
            past.perform(item, of: workflow, by: runner, as: identity, log: log, library)
        }
    }

    /// Records how an item ended: delivers its result, writes its line, then takes the next one.
    private func end(_ entry: BatchEntry, _ outcome: Result<Value, any Error>) {
        if let result = result(entry, outcome) { record(result) }
        state.withLock { $0.atWork -= 1 }
        takeSoon()
    }

    /// The result of a finished item; nil for an unfinished one, or if nothing new is known.
    private func result(_ entry: BatchEntry, _ outcome: Result<Value, any Error>) -> BatchResult? {
        var entry = entry
        switch outcome {
        case .success(let output):
            entry.state = .completed
            return BatchResult(entry, output: output)
        case .failure(let error as JournalError):
            fail(error)
            return nil
        case .failure(let error) where error.isCancelled: return nil
        case .failure(is UnsettledEffects) where past.states[entry.item] == .unknown: return nil
        case .failure(let error):
            let error = error is UnsettledEffects ? Self.question : WorkflowError(error, at: .root)
            // A plan that refuses an item says nothing about what the item did before.
            let isRefused = error.cause is PlanMismatch && past.states[entry.item] == .unknown
            entry.state = error.is(.unknownOutcome) || isRefused ? .unknown : .faulted
            return BatchResult(entry, error: error)
        }
    }

    private func record(_ result: BatchResult) {
        let (entry, before) = (result.entry, past.states[result.entry.item])
        let (counts, hasFailedOften) = state.withLock { state in
            if let before { state.counts[before] -= 1 }
            state.counts[entry.state] += 1
            state.ended += 1
            if entry.state != .completed { state.failures += 1 }
            return (state.counts, limits.failures?.isReached(state.failures, of: state.ended) ?? false)
        }
        do {
            try deliver(result)
            try ledger.append(.entry(entry), counts: counts)
        } catch {
            return fail(error)
        }
        notify(.itemEnded(entry, output: result.output))
        if hasFailedOften { stop(.failures) }
    }

    /// Notifies of a pause that the service has asked for, and when it ends.
    func hold(for delay: Duration) {
        let until = runner.now().addingTimeInterval(delay.seconds)
        let (isNew, isLonger) = state.withLock { state in
            defer { state.heldUntil = max(state.heldUntil, until) }
            // Every waiting request reports the pause.
            return (state.heldUntil == .distantPast, until > state.heldUntil.addingTimeInterval(0.5))
        }
        guard isNew || isLonger else { return }
        notify(.held(until: until))
        _ = runner.clock.schedule(after: delay) {
            let isOver = self.state.withLock { state in
                guard state.heldUntil <= until else { return false }
                state.heldUntil = .distantPast
                return true
            }
            if isOver { self.notify(.released) }
        }
    }
}
