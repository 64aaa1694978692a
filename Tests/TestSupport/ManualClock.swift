public import Promises

/// A clock that moves only when a test moves it.
public final class ManualClock: PromiseClock {
    private struct State {
        var now = Duration.zero
        var next = 0
        var waiting: [Int: (deadline: Duration, work: @Sendable () -> Void)] = [:]
    }

    private let state = Locked(State())

    /// Creates a clock that stands at zero.
    public init() {}

    /// The time to which the clock was moved.
    public var now: Duration { state.withLock { $0.now } }

    /// The number of pending waits.
    public var waitCount: Int { state.withLock { $0.waiting.count } }

    /// Returns when no wait is pending.
    ///
    /// A wait that has just begun is cancelled by the thread that began it, a moment after the run is.
    public func allEnded() async {
        while waitCount > 0 { await pause() }
    }

    /// Holds the work until the clock is moved to its time.
    public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledWork {
        let number = state.withLock { state in
            state.next += 1
            state.waiting[state.next] = (state.now + delay, work)
            return state.next
        }
        return ScheduledWork { [state] in state.withLock { $0.waiting[number] = nil } }
    }

    /// Moves the clock and does the work that is due, in order of time.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now += duration
            let due = state.waiting.filter { $0.value.deadline <= state.now }
            for number in due.keys { state.waiting[number] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value.work)
        }
        for work in due { work() }
    }
}
