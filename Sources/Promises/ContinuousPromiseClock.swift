/// The machine's clock, which continues while the machine sleeps.
public struct ContinuousPromiseClock: PromiseClock {
    private static let start = ContinuousClock.now
    /// On a queue that no handler can block.
    private static let timers = Timers(queue: DispatchQueue(label: "Promises.clock"))

    /// Creates the clock; all instances show the same time.
    public init() {}

    /// The time since this clock was first used.
    public var now: Duration { ContinuousPromiseClock.start.duration(to: .now) }

    /// Calls the work at the handlers' default place, after the delay.
    public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledWork {
        ContinuousPromiseClock.timers.schedule(after: delay.nanoseconds, work)
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
