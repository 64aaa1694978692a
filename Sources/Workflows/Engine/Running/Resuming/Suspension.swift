/// Suspends runs, which can be resumed later.
///
/// A suspended run begins no new effect, waits for requests that must not be made twice, and is then rejected with
/// ``RunSuspended``. Runs without a journal are not affected.
public final class Suspension: Sendable {
    private struct State {
        var isRequested = false
        var runs: [Int: (suspend: @Sendable () -> Void, giveUp: @Sendable () -> Void)] = [:]
        var waiting: [Resolver<Void>] = []
        var next = 0
    }

    private let state = Locked(State())
    /// Whether it also waits for the programs of tasks, which otherwise end with their runs.
    let awaitsPrograms: Bool

    /// Creates a suspension that has not been requested.
    public convenience init() { self.init(awaitsPrograms: false) }

    /// Creates a suspension; if it awaits programs, the requester must give up after some time.
    package init(awaitsPrograms: Bool) { self.awaitsPrograms = awaitsPrograms }

    /// Whether it has been requested.
    public var isRequested: Bool { state.withLock { $0.isRequested } }

    /// Is fulfilled when no run is left that it would suspend.
    public var noneLeft: Promise<Void> {
        Promise { resolver in
            let isOver = state.withLock { state in
                if !state.runs.isEmpty { state.waiting.append(resolver) }
                return state.runs.isEmpty
            }
            if isOver { resolver.fulfill(()) }
        }
    }

    /// Suspends all active runs, and each run that begins later.
    public func request() {
        let runs = state.withLock { state in
            state.isRequested = true
            return state.runs.sorted { $0.key < $1.key }.map(\.value.suspend)
        }
        for suspend in runs { suspend() }
    }

    /// Ends the runs that still wait for requests that must not be made twice; their outcome is unknown.
    package func giveUp() {
        let runs = state.withLock { state in state.runs.sorted { $0.key < $1.key }.map(\.value.giveUp) }
        for giveUp in runs { giveUp() }
    }

    /// Adds a run, which is suspended at once if that has been requested.
    func add(_ suspend: @escaping @Sendable () -> Void, giveUp: @escaping @Sendable () -> Void) -> Int {
        let (ticket, isRequested) = state.withLock { state in
            state.next += 1
            state.runs[state.next] = (suspend, giveUp)
            return (state.next, state.isRequested)
        }
        if isRequested { suspend() }
        return ticket
    }

    func remove(_ ticket: Int) {
        let waiting = state.withLock { state -> [Resolver<Void>] in
            state.runs[ticket] = nil
            guard state.runs.isEmpty else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for resolver in waiting { resolver.fulfill(()) }
    }
}

/// The error of a run that was suspended and can be resumed.
public struct RunSuspended: CancellableError, Sendable, Hashable {
    /// The run's id.
    public let run: String

    /// True, because a suspension cancels the run's promise.
    public var isCancelled: Bool { true }
}
