import Promises

/// A clock on which every delay is over at once; it remembers how long the delays were.
final class ImpatientClock: PromiseClock {
    private let state = Locked<[Duration]>([])

    var delays: [Duration] { state.withLock { $0 } }
    var now: Duration { delays.reduce(.zero, +) }

    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledWork {
        state.withLock { $0.append(delay) }
        work()
        return ScheduledWork {}
    }
}
