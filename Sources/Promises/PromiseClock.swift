/// Where `after`, `timeout` and `attempt` take their time from, so that a test can bring its own.
public protocol PromiseClock: Sendable {
    /// The time since a start that is the clock's own; it never goes back.
    var now: Duration { get }

    /// Calls the work once, after the delay, unless it is cancelled before.
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledWork
}

extension PromiseClock where Self == ContinuousPromiseClock {
    /// The clock of the machine.
    public static var continuous: ContinuousPromiseClock { ContinuousPromiseClock() }
}
