import Promises

/// What a run shares with the runs inside of it: the order in which things happen, where that is written down, and
/// whether the run still goes on.
final class Chronicle: Sendable {
    private struct State {
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
    /// Where events are written down; nil for a run that cannot be resumed.
    let log: RunLog?
    /// What a journal says of the run and of those inside it; nil for one that is not resumed.
    let recollection: Recollection?
    /// What a person says of effects of which the journal does not say whether they happened.
    let assumption: Runner.Assumption?
    private let state = Locked(State())

    init(_ log: RunLog?, _ recollection: Recollection?, assuming assumption: Runner.Assumption? = nil) {
        self.log = log
        self.assumption = assumption
        self.recollection = recollection
        for event in recollection?.published ?? [] { _ = bus.append(event) }
    }

    /// What names the run to whoever brings events from outside; nil where it hears of none.
    var subscription: Int? {
        get { state.withLock { $0.subscription } }
        set { state.withLock { $0.subscription = newValue } }
    }

    /// Takes note of who can end the run.
    func attach(
        stop: @escaping @Sendable (any Error) -> Void, suspend: @escaping @Sendable () -> Void
    ) {
        state.withLock {
            $0.stop = stop; $0.suspend = suspend
        }
    }

    /// Lets go of who can end the run, because it is over.
    func detach() { state.withLock { ($0.stop, $0.suspend) = (nil, nil) } }

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
                    try log?.append(event)
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
    /// - Throws: Where that cannot be; then the run stops.
    func commit() throws {
        guard let log else { return }
        do { try log.flush() } catch {
            state.withLock { $0.isClosed = true }
            end(with: error)
            throw error
        }
        if state.withLock({ $0.isClosed }) { throw PromiseError.cancelled }
    }

    /// Sees to it that what happened so far outlasts a power cut, where nothing hangs on it any more.
    func flush() { try? log?.flush() }

    /// Whether a call may begin; if so, one that must be made once is waited for when the run is suspended.
    func begin(_ effect: Effect) -> Bool {
        state.withLock { state in
            guard !state.isStopping, !state.isClosed else { return false }
            if effect == .once { state.requests += 1 }
            return true
        }
    }

    /// Takes note that a call is over that had begun.
    func end(_ effect: Effect) {
        guard effect == .once else { return }
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
