/// A clock that skips every wait and records it: time jumps to the end of the wait.
public final class SkippingClock: PromiseClock {
    private struct State {
        var now = Duration.zero
        var waits: [Duration] = []
    }

    private let state = Locked(State())

    /// Creates a clock at zero.
    public init() {}

    /// The skipped time since the clock was created.
    public var now: Duration { state.withLock { $0.now } }

    /// Every requested wait, in order.
    public var waits: [Duration] { state.withLock { $0.waits } }

    /// Advances the time without a wait.
    public func advance(by duration: Duration) { state.withLock { $0.now += duration } }

    /// Skips the wait and does the work at once.
    public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledWork {
        state.withLock { state in
            state.now += delay
            state.waits.append(delay)
        }
        work()
        return ScheduledWork {}
    }
}
