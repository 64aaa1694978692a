public import Promises

/// The machine's clock for short waits, and a very slow one for limits that only detect a hang.
///
/// A delay of five seconds or more (four on a slowed one) takes fifteen minutes, since a machine that is busy with other tests is only slow.
public struct PatientClock: PromiseClock {
    // Real time: short waits only pass, and a limit ends nothing that is not stuck for fifteen minutes.
    private let factor: Int

    /// Creates the clock; all of them with the same factor show the same time.
    /// - Parameter factor: How much more slowly it goes, for limits that are also compared with the time.
    public init(slowedBy factor: Int = 1) { self.factor = factor }

    /// The time since a clock of the machine was first read.
    public var now: Duration { ContinuousPromiseClock().now / factor }

    /// Calls the work after the delay; one that is not short takes at least fifteen minutes.
    public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledWork {
        ContinuousPromiseClock().schedule(
            after: delay < .seconds(factor > 1 ? 4 : 5) ? delay : max(delay, .seconds(900)), work)
    }
}

extension PromiseClock where Self == PatientClock {
    /// The clock of the machine, with limits that only a hang exceeds.
    public static var patient: PatientClock { PatientClock() }
}
