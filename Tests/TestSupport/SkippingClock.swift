public import Promises

/// A clock that skips every wait: time jumps to the end of it, and the waits that were asked for can be read.
public final class SkippingClock: PromiseClock {
    private struct State {
        var now = Duration.zero
        var waits: [Duration] = []
    }

    private let state = Locked(State())

    /// Creates a clock that stands at zero.
    public init() {}

    /// The time since the clock was made, as far as it was skipped.
    public var now: Duration { state.withLock { $0.now } }

    /// Every wait that was asked for, in order.
    public var waits: [Duration] { state.withLock { $0.waits } }

    /// Lets time pass that nobody waited for.
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
