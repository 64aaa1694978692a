/// A clock for tests: when nothing else is left to do, it jumps to the end of the next wait.
package final class TimeSkippingClock: PromiseClock {
    private struct Wait {
        var deadline: Duration
        var delay: Duration
        var work: @Sendable () -> Void
    }

    private struct State {
        var now = Duration.zero
        var waiting: [Int: Wait] = [:]
        var last = 0
        var leaps: [Duration] = []
        /// The number of checks in a row that found nothing to do.
        var quiet = 0
    }

    private static let pace = DispatchTimeInterval.milliseconds(1)
    /// The number of checks in a row that must find nothing to do before time passes, because the result of an ended
    /// process may still be arriving.
    private static let patience = 3
    /// The number of checks after which a run without waits counts as stuck.
    private static let longPatience = 200
    /// A test with more waits counts as stuck.
    private static let mostLeaps = 100_000

    private let state = Locked(State())

    package init() {}

    package var now: Duration { state.withLock { $0.now } }

    /// The skipped waits, in order.
    package var leaps: [Duration] { state.withLock { $0.leaps } }

    package func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledWork {
        let number = state.withLock { state in
            state.last += 1
            state.waiting[state.last] = Wait(deadline: state.now + delay, delay: delay, work: work)
            return state.last
        }
        return ScheduledWork { [state] in state.withLock { $0.waiting[number] = nil } }
    }

    /// Lets time pass until the returned timer is cancelled.
    /// - Parameters:
    ///   - isBusy: Whether work is in progress outside the default place.
    ///   - onStandstill: Called when the run is stuck.
    package func start(
        isBusy: @escaping @Sendable () -> Bool, onStandstill: @escaping @Sendable () -> Void
    ) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "TimeSkippingClock"))
        timer.setEventHandler { [self] in
            guard Handlers.areIdle, !isBusy() else { return state.withLock { $0.quiet = 0 } }
            switch leap() {
            case .some(let due): for work in due { work() }
            case nil: onStandstill()
            }
        }
        timer.schedule(deadline: .now(), repeating: Self.pace)
        timer.resume()
        return timer
    }

    /// Jumps to the end of the next wait if there was nothing to do for long enough.
    /// - Returns: The work that is due; nil if the run is stuck.
    private func leap() -> [@Sendable () -> Void]? {
        state.withLock { state in
            state.quiet += 1
            guard state.quiet >= Self.patience else { return [] }
            guard let deadline = state.waiting.values.map(\.deadline).min() else {
                return state.quiet < Self.longPatience ? [] : nil
            }
            guard state.leaps.count < Self.mostLeaps else { return nil }
            state.quiet = 0
            state.now = max(state.now, deadline)
            let due = state.waiting.filter { $0.value.deadline == deadline }.sorted { $0.key < $1.key }
            for (number, wait) in due {
                state.waiting[number] = nil
                if wait.delay > .zero { state.leaps.append(wait.delay) }
            }
            return due.map(\.value.work)
        }
    }
}
