@testable import Promises

struct Failure: Error, Equatable { var code = 1 }

/// What handlers have done, in order.
final class Trace: Sendable {
    private let state = Locked<[String]>([])
    func add(_ entry: String) { state.withLock { $0.append(entry) } }
    var entries: [String] { state.withLock { $0 } }
}

final class Counter: Sendable {
    private let state = Locked(0)
    @discardableResult
    func next() -> Int {
        state.withLock { count in
            count += 1
            return count
        }
    }
    var count: Int { state.withLock { $0 } }
}

/// Counts its releases.
final class Token: Sendable {
    private let counter: Counter
    init(_ counter: Counter) { self.counter = counter }
    deinit { counter.next() }
}

/// A clock whose time passes when the test says so.
final class ManualClock: PromiseClock {
    private struct Entry {
        let id: Int
        let time: Duration
        let work: @Sendable () -> Void
    }
    private struct State {
        var now = Duration.zero
        var next = 0
        var entries: [Entry] = []
    }
    private let state = Locked(State())

    var now: Duration { state.withLock { $0.now } }
    var pendingCount: Int { state.withLock { $0.entries.count } }
    var nextDelay: Duration? { state.withLock { state in state.entries.map { $0.time - state.now }.min() } }

    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledWork {
        let id = state.withLock { state in
            state.next += 1
            state.entries.append(Entry(id: state.next, time: state.now + delay, work: work))
            return state.next
        }
        return ScheduledWork { self.state.withLock { $0.entries.removeAll { $0.id == id } } }
    }

    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now += duration
            let due = state.entries.filter { $0.time <= state.now }
            state.entries.removeAll { $0.time <= state.now }
            return due
        }
        for entry in due.sorted(by: { $0.time < $1.time }) { entry.work() }
    }
}

/// Waits until everything that is ready on the default place has run.
func settle() async {
    for _ in 0..<3 { await Guarantee.value(()).done {}.value }
}

extension Trace {
    /// A place for a value that is known later.
    final class Slot<Value: Sendable>: Sendable {
        private let state = Locked<Value?>(nil)
        func locked(_ body: (inout Value?) -> Void) {
            state.withLock { value in
                var copy = value
                body(&copy)
                value = copy
            }
        }
        var value: Value? {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }
}

extension Trace.Slot {
    func append<Element>(_ elements: [Element]) where Value == [Element] {
        locked { $0 = ($0 ?? []) + elements }
    }
}

extension Configuration {
    /// These tests provoke reports of pending promises, but do not test them.
    func ignorePending() {
        logHandler = { event in
            switch event {
            case .pendingPromiseDeallocated, .pendingGuaranteeDeallocated: return
            default: print(event)
            }
        }
    }
}
