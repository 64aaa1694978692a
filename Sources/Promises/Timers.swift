/// A clock's future work, with one system timer.
///
/// Most work is cancelled early, as requests' time limits are, and most is due after work that is already scheduled.
/// Then the system is not called and no thread wakes.
final class Timers: Sendable {
    /// The work; the first thread that takes it does or drops it.
    fileprivate typealias Slot = Locked<(@Sendable () -> Void)?>

    fileprivate struct Timer {
        /// By the clock of `DispatchTime`.
        var time: UInt64
        var slot: Slot
        /// Where it was scheduled, even if `conf.Q` names another place.
        var place: HandlerPlace

        var isCancelled: Bool { slot.withLock { $0 == nil } }
    }

    fileprivate struct State {
        /// A binary heap: none is earlier than the one at half its index.
        var timers: [Timer] = []
        var cancelled = 0
        var source: (any DispatchSourceTimer)?
    }

    private let state = Locked(State())

    /// - Parameter queue: Where the timer fires.
    init(queue: DispatchQueue) {
        state.withLock { state in
            let source = DispatchSource.makeTimerSource(queue: queue)
            // Not unowned: the last use can end while the timer fires.
            source.setEventHandler { [weak self] in self?.goOff() }
            source.activate()
            state.source = source
        }
    }

    deinit { state.withLock { $0.source?.cancel() } }

    /// Includes cancelled timers that are not yet removed.
    var count: Int { state.withLock { $0.timers.count } }

    func schedule(after delay: Int, _ work: @escaping @Sendable () -> Void) -> ScheduledWork {
        let (slot, place) = (Slot(work), HandlerPlace())
        let (time, isTooLate) = DispatchTime.now().uptimeNanoseconds.addingReportingOverflow(UInt64(max(0, delay)))
        state.withLock { state in
            state.insert(Timer(time: isTooLate ? .max : time, slot: slot, place: place))
            if state.timers[0].slot === slot { state.setSource() }
        }
        return ScheduledWork {
            // Releases the work's captures at once.
            if Timers.take(slot) != nil { self.state.withLock { $0.noteCancelled() } }
        }
    }

    private static func take(_ slot: Slot) -> (@Sendable () -> Void)? {
        slot.withLock { work in
            defer { work = nil }
            return work
        }
    }

    private func goOff() {
        let due = state.withLock { state in
            let now = DispatchTime.now().uptimeNanoseconds
            var due: [Timer] = []
            while let first = state.timers.first, first.time <= now || first.isCancelled {
                due.append(state.removeFirst())
            }
            state.setSource()
            return due
        }
        for timer in due where !timer.isCancelled {
            // Until then, the work can be cancelled.
            timer.place.perform { Timers.take(timer.slot)?() }
        }
    }
}

extension Timers.State {
    fileprivate func setSource() {
        guard let first = timers.first else { return }
        source?.schedule(deadline: DispatchTime(uptimeNanoseconds: first.time))
    }

    fileprivate mutating func insert(_ timer: Timers.Timer) {
        var index = timers.endIndex
        timers.append(timer)
        while index > 0, timer.time < timers[(index - 1) / 2].time {
            timers.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    fileprivate mutating func removeFirst() -> Timers.Timer {
        timers.swapAt(0, timers.endIndex - 1)
        let first = timers.removeLast()
        sink(0)
        return first
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            let (left, right) = (2 * index + 1, 2 * index + 2)
            guard left < timers.endIndex else { return }
            let child = right < timers.endIndex && timers[right].time < timers[left].time ? right : left
            guard timers[child].time < timers[index].time else { return }
            timers.swapAt(index, child)
            index = child
        }
    }

    /// Counts a cancelled timer, and removes all cancelled ones when they are the majority.
    fileprivate mutating func noteCancelled() {
        cancelled += 1
        guard cancelled > 1_000, cancelled > timers.count / 2 else { return }
        cancelled = 0
        timers.removeAll { $0.isCancelled }
        for index in timers.indices.prefix(timers.count / 2).reversed() { sink(index) }
    }
}
