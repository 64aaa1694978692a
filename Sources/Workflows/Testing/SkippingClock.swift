public import Promises

/// A clock that skips every wait: time jumps to its end, and the waits are recorded.
public final class SkippingClock: PromiseClock {
    private struct State {
        var now = Duration.zero
        var waits: [Duration] = []
    }

    private let state = Locked(State())

    /// Creates a clock that stands at zero.
    public init() {}

    /// The skipped time since the clock was created.
    public var now: Duration { state.withLock { $0.now } }

    /// Every requested wait, in order.
    public var waits: [Duration] { state.withLock { $0.waits } }

    /// Lets time pass without a wait.
    public func advance(by duration: Duration) { state.withLock { $0.now += duration } }

    /// Skips the wait and does the work.
    public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledWork {
        state.withLock { state in
            state.now += delay
            state.waits.append(delay)
        }
        work()
        return ScheduledWork {}
    }
}
