package import Promises

/// A clock on which every delay ends at once; it records the delays.
package final class ImpatientClock: PromiseClock {
    private let state = Locked<[Duration]>([])

    package init() {}

    package var delays: [Duration] { state.withLock { $0 } }
    package var now: Duration { delays.reduce(.zero, +) }

    package func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledWork {
        state.withLock { $0.append(delay) }
        work()
        return ScheduledWork {}
    }
}
