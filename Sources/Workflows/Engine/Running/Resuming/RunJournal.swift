import Promises

/// The journal of a run and of the runs inside it: the order in which things happen, where that is written down, and
/// whether the run still goes on.
final class RunJournal: Sendable {
    private struct State {
        /// Whether nothing more is recorded.
        var isClosed = false
        /// Whether no new effect begins.
        var isStopping = false
        /// How many requests are on their way that must be made once.
        var requests = 0
        /// What ends the run with an error that is no part of it.
        var stop: (@Sendable (any Error) -> Void)?
        /// What suspends the run.
        var suspend: (@Sendable () -> Void)?
        /// What names the run to whoever brings events from outside.
        var subscription: Int?
    }

    /// Where tasks listen: to events that tasks emit and to those from outside, in the order of the journal.
    let bus = EventBus()
    /// Whether events are written down, so that the run can be resumed.
    let isKept: Bool
    /// What a journal says of the run and of those inside it; nil for one that is not resumed.
    let replay: JournalReplay?
    /// What a person says of effects of which the journal does not say whether they happened.
    let assumption: Runner.Assumption?
    /// Where events are written down; the lock is held while one is, because they have an order.
    private let log: Locked<RunLog?>
    private let state = Locked(State())

    init(_ log: RunLog?, _ replay: JournalReplay?, assuming assumption: Runner.Assumption? = nil) {
        isKept = log != nil
        self.log = Locked(log)
        self.assumption = assumption
        self.replay = replay
        for event in replay?.published ?? [] { _ = bus.append(event) }
    }

    /// What names the run to whoever brings events from outside; nil where it hears of none.
    var subscription: Int? {
        get { state.withLock { $0.subscription } }
        set { state.withLock { $0.subscription = newValue } }
    }

    /// Whether nothing more is recorded.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Takes note of who can end the run.
    func attach(
        stop: @escaping @Sendable (any Error) -> Void, suspend: @escaping @Sendable () -> Void
    ) {
        state.withLock {
            $0.stop = stop; $0.suspend = suspend
        }
    }

    /// Lets go of the journal, and of who can end the run, because it is over.
    func detach() {
        let ending = state.withLock { state in
            defer { (state.stop, state.suspend) = (nil, nil) }
            return (state.stop, state.suspend)
        }
        let log = log.withLock { log in
            defer { log = nil }
            return log
        }
        // Released out here, where nothing is locked.
        withExtendedLifetime((ending, log)) {}
    }

    /// Appends an event of a run: to the journal, to the bus where tasks may listen to it, and to the run's history.
    ///
    /// One lock orders the events of the run and of all runs inside it, and is the only one that is held while an event
    /// is written; whoever asks where a run stands does not wait for the disk. Where an event cannot be written, nothing
    /// follows from it: the run stops.
    /// - Parameters:
    ///   - history: What happened so far in the run that it is an event of.
    ///   - event: Makes the event with its number; must not call out.
    /// - Returns: Whether the caller has to notify the run's recorders; false as well where nothing was appended, because
    ///   the run has ended or nothing more is recorded.
    func append(to history: RunHistory, _ event: (_ number: Int) -> Event) -> Bool {
        var waiting: [Resolver<Void>] = []
        var failure: (any Error)?
        let mustNotify = log.withLock { log -> Bool in
            guard !isClosed, let number = history.nextNumber else { return false }
            let event = event(number)
            do { try log?.append(event) } catch {
                failure = error
                close()
                return false
            }
            let mustNotify = history.append(event)
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

    /// Lets nothing more be recorded.
    private func close() { state.withLock { $0.isClosed = true } }

    /// Sees to it that what happened so far outlasts a power cut, before an effect follows from it.
    /// - Returns: Whether the effect may follow; if not, the run has stopped.
    func commit() -> Bool {
        do { try log.withLock({ $0 })?.flush() } catch {
            end(with: error)
            return false
        }
        return !isClosed
    }

    /// Keeps the output of a run that is complete.
    func finish(_ output: Value) throws {
        guard let log = log.withLock({ $0 }) else { return }
        try log.flush()
        try log.finish(output)
    }

    /// Sees to it that what happened so far outlasts a power cut, where nothing depends on it any more.
    func flush() { try? log.withLock({ $0 })?.flush() }

    /// Whether an effect may begin.
    var mayBegin: Bool { state.withLock { !$0.isStopping && !$0.isClosed } }

    /// Takes note that a request is on its way that must be made once, and is waited for when the run is suspended.
    /// - Returns: Whether it may be made.
    func beginRequest() -> Bool {
        state.withLock { state in
            guard !state.isStopping, !state.isClosed else { return false }
            state.requests += 1
            return true
        }
    }

    /// Takes note that a request is over.
    func endRequest() {
        let suspend = state.withLock { state in
            state.requests -= 1
            return state.isStopping && state.requests == 0 ? state.suspend : nil
        }
        suspend?()
    }

    /// Lets no new effect begin; whether nothing is on its way that has to be waited for.
    func stop() -> Bool {
        state.withLock { state in
            state.isStopping = true
            return state.requests == 0
        }
    }

    /// Ends the run with an error that is no part of it, which no task can catch.
    func end(with error: any Error) {
        let stop = state.withLock { state in
            state.isClosed = true
            defer { state.stop = nil }
            return state.stop
        }
        stop?(error)
    }
}
