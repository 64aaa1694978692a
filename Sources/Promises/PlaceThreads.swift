internal import Synchronization

/// The threads that run the places that programs make: as many at a time as the machine has cores.
///
/// A thread whose handler computes at length or waits does not count, so it keeps no other place from running.
enum PlaceThreads {
    /// The time in which a place keeps its thread although others wait for one.
    struct Turn {
        private let end = DispatchTime.now().uptimeNanoseconds + 5_000_000

        var isOver: Bool {
            PlaceThreads.waiting.load(ordering: .relaxed) && DispatchTime.now().uptimeNanoseconds > end
        }
    }

    private struct State {
        /// The places that wait for a thread, in their order.
        var first: SerialPlace?
        var last: SerialPlace?
        /// The number of threads that run a place.
        var atWork = 0
        var most = Thread.cores

        mutating func add(_ place: SerialPlace) {
            if let last { unsafe last.nextReady = place } else { first = place }
            last = place
        }

        mutating func takeFirst() -> SerialPlace? {
            guard let place = first else { return nil }
            unsafe first = place.nextReady
            unsafe place.nextReady = nil
            if first == nil { last = nil }
            return place
        }

        /// Whether another thread is needed, which then counts.
        mutating func beginsThread() -> Bool {
            guard first != nil, atWork < most else { return false }
            atWork += 1
            return true
        }
    }

    private static let state = Locked(State())
    /// Whether a place waits for a thread.
    private static let waiting = Atomic<Bool>(false)

    /// Runs a place when a thread is free.
    static func run(_ place: SerialPlace) { change { $0.add(place) } }

    /// Lets another thread run places, because the handler on the calling one computes or waits.
    static func leave() { change { $0.most += 1 } }

    /// Takes back what `leave` allowed.
    static func comeBack() { change { $0.most -= 1 } }

    private static func change(_ body: (inout State) -> Void) {
        let begins = state.withLock { state in
            body(&state)
            defer { waiting.store(state.first != nil, ordering: .relaxed) }
            return state.beginsThread()
        }
        // A serial queue, because places must not take the few threads of concurrent queues and of tasks.
        if begins { DispatchQueue(label: "Promises places").async { work() } }
    }

    private static func work() {
        while let place = next() { place.runTurn() }
    }

    /// The next place for a thread; nil if the thread is to end.
    private static func next() -> SerialPlace? {
        state.withLock { state in
            if state.atWork <= state.most, let place = state.takeFirst() {
                waiting.store(state.first != nil, ordering: .relaxed)
                return place
            }
            state.atWork -= 1
            return nil
        }
    }
}
