internal import Dispatch

/// The clock of the machine, which does not stop while the machine sleeps.
public struct ContinuousPromiseClock: PromiseClock {
    private static let start = ContinuousClock.now
    /// A queue that no handler can hold up.
    private static let queue = DispatchQueue(label: "Promises.clock")

    /// Creates the clock; all instances show the same time.
    public init() {}

    /// The time since this clock was first used.
    public var now: Duration { ContinuousPromiseClock.start.duration(to: .now) }

    /// Calls the work on the handlers' own place, after the delay.
    public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledWork {
        let slot = Locked<(@Sendable () -> Void)?>(work)
        let take: @Sendable () -> (@Sendable () -> Void)? = {
            slot.withLock { work in
                defer { work = nil }
                return work
            }
        }
        // A cancelled delay keeps running with an empty slot, so the work's captures are released at once.
        ContinuousPromiseClock.queue.asyncAfter(deadline: .now() + .nanoseconds(delay.nanoseconds)) {
            // On the handlers' own place, even where `conf.Q` names another one.
            let due = State(fulfilled: (), origin: Origin(#fileID, #line))
            _ = due.attach(Link.map({ (_: Void) in take()?() }, .place(Place.standard), due.origin))
        }
        return ScheduledWork { _ = take() }
    }
}

extension Duration {
    /// In nanoseconds, limited to the largest number that fits (292 years).
    var nanoseconds: Int {
        let (seconds, attoseconds) = components
        let (product, tooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if tooLong { return seconds < 0 ? 0 : .max }
        let (sum, overflow) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow ? .max : max(0, Int(sum))
    }
}
