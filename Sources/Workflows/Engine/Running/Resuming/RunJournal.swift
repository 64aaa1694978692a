/// The journal of a run and its inner runs: it orders and writes their events, and stops the run if it cannot.
final class RunJournal: Sendable {
    private struct State {
        var isClosed = false
        /// Whether no new effect begins.
        var isStopping = false
        /// The number of pending requests that must be made once.
        var requests = 0
        /// Ends the run with an error from outside it.
        var stop: (@Sendable (any Error) -> Void)?
        var suspend: (@Sendable () -> Void)?
        var subscription: Int?
    }

    /// The events that tasks emit and those from outside, in the order of the journal.
    let bus = EventBus()
    /// Whether events are written: only then the run can be resumed.
    let isKept: Bool
    /// The state from the journal of a resumed run; nil for other runs.
    let replay: JournalReplay?
    /// The user's answer about effects whose outcome the journal does not record.
    let assumption: Runner.Assumption?
    /// Where events are written; locked while writing, because events are ordered.
    private let log: Locked<RunLog?>
    private let state = Locked(State())
    /// What the run and its inner runs did, once a task may take it back.
    private let kept = Locked<EffectEvents?>(nil)

    init(_ log: RunLog?, _ replay: JournalReplay?, assuming assumption: Runner.Assumption? = nil) {
        isKept = log != nil
        self.log = Locked(log)
        self.assumption = assumption
        self.replay = replay
        for event in replay?.published ?? [] { _ = bus.append(event) }
    }

    /// What the run and its inner runs did since ``keepEffects()``, and before it was resumed.
    var effects: EffectEvents { kept.withLock { $0 } ?? EffectEvents() }

    /// Keeps what is done from now on.
    func keepEffects() {
        kept.withLock { kept in
            if kept == nil { kept = replay?.effects ?? EffectEvents() }
        }
    }

    var subscription: Int? {
        get { state.withLock { $0.subscription } }
        set { state.withLock { $0.subscription = newValue } }
    }

    /// Where questions to people wait for their answers; nil for a run that is not kept.
    var approvals: ApprovalRequests? { log.withLock { $0 }?.approvals }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func attach(
        stop: @escaping @Sendable (any Error) -> Void, suspend: @escaping @Sendable () -> Void
    ) {
        state.withLock {
            $0.stop = stop; $0.suspend = suspend
        }
    }

    /// Closes and releases the journal of an ended run; false if ``end(with:)``, which closes it, came first.
    func detach() -> Bool {
        let ending = state.withLock { state in
            // What an inner run or a cancelled task still begins would be in no journal.
            state.isClosed = true
            defer { (state.stop, state.suspend) = (nil, nil) }
            return state.stop.map { ($0, state.suspend) }
        }
        guard let ending else { return false }
        closeLog()
        // Released outside the lock.
        withExtendedLifetime(ending) {}
        return true
    }

    /// Lets others continue the run.
    func closeLog() {
        let log = log.withLock { log in
            defer { log = nil }
            return log
        }
        log?.close()
    }

    /// Appends an event to the journal, to its run's history, and to the bus if tasks can listen to it.
    ///
    /// One lock orders the events of the run and its inner runs. Only this lock is held while an event is written:
    /// reading a run's state does not wait for the disk. The run stops if writing fails.
    ///
    /// `event` must not call out.
    /// - Returns: Whether the caller must notify the run's recorders; false if nothing was appended.
    func append(
        to history: RunHistory, concealing secrets: KnownSecrets, _ event: (_ number: Int) -> Event
    ) -> Bool {
        var waiting: [Resolver<Void>] = []
        var failure: (any Error)?
        let mustNotify = log.withLock { log -> Bool in
            guard !isClosed, let number = history.nextNumber else { return false }
            let event = event(number)
            var json: [UInt8]?
            do { json = try log?.append(secrets.seal(event)) ?? nil } catch {
                failure = error
                close()
                return false
            }
            kept.withLock { $0?.take(event) }
            let mustNotify = history.append(event, concealing: secrets, json: secrets.areInUse ? nil : json)
            switch event.kind {
            case .eventEmitted(_, let event), .eventReceived(let event): waiting = bus.append(event)
            case .workflowSuspended: close()
            default: break
            }
            return mustNotify
        }
        if let failure { end(with: failure) }
        for resolver in waiting { resolver.fulfill(()) }
        return mustNotify
    }

    private func close() { state.withLock { $0.isClosed = true } }

    /// Makes all events safe from a power failure, before an effect depends on them.
    ///
    /// The promise stays pending if the effect may not begin, because the run has stopped.
    /// - Parameter isConcurrent: Whether other runs inside the same one are in progress, which share a flush.
    func commit(isConcurrent: Bool) -> Promise<Void> {
        let log = log.withLock { $0 }
        guard let log, isConcurrent || log.isShared, let flushed = log.flushTogether else {
            do { try log?.flush() } catch { end(with: error) }
            return isClosed ? .never : .value(())
        }
        // A timeout that cancels the wait does not end the run.
        return flushed().recover(policy: .allErrorsExceptCancellation) { error -> Promise<Void> in
            self.end(with: error)
            return .never
        }.then { () -> Promise<Void> in self.isClosed ? .never : .value(()) }
    }

    /// Makes all events safe from a power failure, and writes the output of a completed run.
    func finish(_ output: Value) -> Promise<Void> {
        guard let log = log.withLock({ $0 }) else { return .value(()) }
        if log.isShared, let flushed = log.flushTogether { return flushed() }
        // Waiting for the disk must not delay the handlers of other runs.
        return Self.ends.async(.promise) {
            try log.flush()
            try log.finish(output)
        }
    }

    private static let ends = DispatchQueue(label: "graphflow.ends", attributes: .concurrent)

    /// Makes all events of a failed run safe, without errors, because nothing depends on them.
    func finish() -> Promise<Void> {
        guard let log = log.withLock({ $0 }) else { return .value(()) }
        if log.isShared, let flushed = log.flushTogether { return flushed().recover(policy: .allErrors) { _ in } }
        return Self.ends.async(.promise) { try? log.flush() }
    }

    /// Makes all events safe from a power failure, without errors, because nothing depends on them.
    func flush() { try? log.withLock({ $0 })?.flush() }

    var mayBegin: Bool { state.withLock { !$0.isStopping && !$0.isClosed } }

    /// Counts a pending request that must be made once, and returns whether it may be sent; a suspension waits for it.
    func beginRequest() -> Bool {
        state.withLock { state in
            guard !state.isStopping, !state.isClosed else { return false }
            state.requests += 1
            return true
        }
    }

    func endRequest() {
        let suspend = state.withLock { state in
            state.requests -= 1
            return state.isStopping && state.requests == 0 ? state.suspend : nil
        }
        suspend?()
    }

    /// Prevents new effects; returns whether no request is pending.
    func stop() -> Bool {
        state.withLock { state in
            state.isStopping = true
            return state.requests == 0
        }
    }

    /// Ends the run with an error from outside it, which no task can catch.
    func end(with error: any Error) {
        let stop = state.withLock { state in
            state.isClosed = true
            defer { (state.stop, state.suspend) = (nil, nil) }
            return state.stop
        }
        stop?(error)
    }
}
