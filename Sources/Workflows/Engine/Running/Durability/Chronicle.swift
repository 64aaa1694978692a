import Promises

/// What a run shares with the runs inside of it: the order in which things happen, where that is written down, and
/// whether the run still goes on.
final class Chronicle: Sendable {
    private struct State {
        /// Where events are written down.
        var log: RunLog?
        /// Whether nothing more is told.
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
    let recollection: Recollection?
    /// What a person says of effects of which the journal does not say whether they happened.
    let assumption: Runner.Assumption?
    private let state: Locked<State>

    init(_ log: RunLog?, _ recollection: Recollection?, assuming assumption: Runner.Assumption? = nil) {
        isKept = log != nil
        state = Locked(State(log: log))
        self.assumption = assumption
        self.recollection = recollection
        for event in recollection?.published ?? [] { _ = bus.append(event) }
    }

    /// What names the run to whoever brings events from outside; nil where it hears of none.
    var subscription: Int? {
        get { state.withLock { $0.subscription } }
        set { state.withLock { $0.subscription = newValue } }
    }

    /// Whether nothing more is told.
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
        let log = state.withLock { state in
            defer { (state.log, state.stop, state.suspend) = (nil, nil, nil) }
            return state.log
        }
        // Released out here, where nothing is locked.
        withExtendedLifetime(log) {}
    }

    /// Lets one event after the other be written down and taken note of.
    ///
    /// Where it cannot be written down, nothing follows from it: the run stops.
    /// - Parameters:
    ///   - isLast: Whether nothing more is told behind it.
    ///   - note: Makes the event and takes note of it with what writes it down, and gives what follows; must not call
    ///     out. Where it fails, it has taken note of nothing.
    /// - Returns: What follows; nil where nothing does.
    func inOrder<Result: Sendable>(
        isLast: Bool = false, _ note: (_ write: (Event) throws -> [Resolver<Void>]) throws -> Result?
    ) -> Result? {
        let (result, failure) = state.withLock { state -> (Result?, (any Error)?) in
            guard !state.isClosed else { return (nil, nil) }
            do {
                let result = try note { event in
                    try state.log?.append(event)
                    switch event.kind {
                    case .eventEmitted(_, let event), .eventReceived(let event): return bus.append(event)
                    default: return []
                    }
                }
                if isLast { state.isClosed = true }
                return (result, nil)
            } catch {
                state.isClosed = true
                return (nil, error)
            }
        }
        if let failure { end(with: failure) }
        return result
    }

    /// Sees to it that what happened so far outlasts a power cut, before an effect follows from it.
    /// - Returns: Whether the effect may follow; if not, the run has stopped.
    func commit() -> Bool {
        do { try state.withLock({ $0.log })?.flush() } catch {
            end(with: error)
            return false
        }
        return !isClosed
    }

    /// Keeps the output of a run that is complete.
    func finish(_ output: Value) throws {
        guard let log = state.withLock({ $0.log }) else { return }
        try log.flush()
        try log.finish(output)
    }

    /// Sees to it that what happened so far outlasts a power cut, where nothing hangs on it any more.
    func flush() { try? state.withLock({ $0.log })?.flush() }

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
