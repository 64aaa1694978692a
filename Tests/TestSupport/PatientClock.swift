public import Promises

/// The machine's clock for waits that a test waits for, and none for limits that only tell that something hangs.
///
/// A delay of five seconds or more takes fifteen minutes: a machine on which other tests hold the threads for some of
/// them is slow, and nothing else.
public struct PatientClock: PromiseClock {
    /// Creates the clock; all of them tell the same time.
    public init() {}

    /// The time since any clock of the machine was first looked at.
    public var now: Duration { ContinuousPromiseClock().now }

    /// Calls the work after the delay; one that is not short is a quarter of an hour at least.
    public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledWork {
        ContinuousPromiseClock().schedule(after: delay < .seconds(5) ? delay : max(delay, .seconds(900)), work)
    }
}

extension PromiseClock where Self == PatientClock {
    /// The clock of the machine, with limits that nothing but a hang exceeds.
    public static var patient: PatientClock { PatientClock() }
}
