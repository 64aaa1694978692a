import Promises

/// A clock on which every wait is over at once.
struct PlanningClock: PromiseClock {
    private let time = Locked(Duration.zero)

    var now: Duration { time.withLock { $0 } }

    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledWork {
        time.withLock { $0 += delay }
        work()
        return ScheduledWork {}
    }
}
