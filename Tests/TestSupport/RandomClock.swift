public import Promises

/// A clock that a test moves to the next wait; waits with the same end finish in random order.
public final class RandomClock: PromiseClock {
    private struct State {
        var now = Duration.zero
        var count = 0
        var waiting: [Int: (deadline: Duration, work: @Sendable () -> Void)] = [:]
    }

    private let state = Locked(State())

    /// Creates a clock that stands at zero.
    public init() {}

    /// The time to which the clock was moved.
    public var now: Duration { state.withLock { $0.now } }

    /// How many waits have begun so far.
    public var waitCount: Int { state.withLock { $0.count } }

    /// Holds the work until its time is next.
    public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledWork {
        let number = state.withLock { state in
            state.count += 1
            state.waiting[state.count] = (state.now + delay, work)
            return state.count
        }
        return ScheduledWork { [state] in state.withLock { $0.waiting[number] = nil } }
    }

    /// Moves to the next deadline and does the work of one wait that is due.
    public func moveOn() {
        let work = state.withLock { state -> (@Sendable () -> Void)? in
            guard let next = state.waiting.values.map(\.deadline).min() else { return nil }
            let due = state.waiting.filter { $0.value.deadline == next }.keys.sorted()
            state.now = max(state.now, next)
            return state.waiting.removeValue(forKey: due[RandomOrder.draw(below: due.count)])?.work
        }
        work?()
    }
}
