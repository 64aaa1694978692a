internal import Synchronization

/// The promise of a `when` or a `race`: settled when enough of what it waits for is.
final class Gather<T: Sendable>: State<T>, @unchecked Sendable {
    /// What waits at the promises that are still pending, so that a cancellation finds them; given up at the end.
    private let waiters = Locked<[Node]>([])
    private let remaining: Atomic<Int>
    private let finish: @Sendable () -> Result<T, any Error>?

    /// - Parameter finish: What to settle with when everything has arrived; nil if that was never possible.
    init(
        count: Int, _ origin: Origin, traits: UInt8 = Trait.consumer,
        finish: @escaping @Sendable () -> Result<T, any Error>?
    ) {
        remaining = Atomic(count)
        self.finish = finish
        super.init(pending: origin, traits: traits)
    }

    func wait(with waiters: [Node]) {
        self.waiters.withLock { $0 = waiters }
        // What was settled meanwhile may have settled this promise, too.
        if settledResult != nil || remaining.load(ordering: .acquiring) == 0 { dropWaiters() }
    }

    /// Notes that one of the promises has done its part.
    func arrive(_ work: UnsafeMutablePointer<WorkList>) {
        guard remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        if let outcome = finish() { unsafe end(outcome, work) } else { dropWaiters() }
    }

    func end(_ outcome: Result<T, any Error>, _ work: UnsafeMutablePointer<WorkList>) {
        if unsafe settle(outcome, work) { _ = unsafe Unmanaged.passRetained(self) }
        dropWaiters()
    }

    /// Notes that one of the promises can no longer be settled.
    func lose() {
        marks.bitwiseOr(Mark.abandoned, ordering: .relaxed)
        if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { dropWaiters() }
    }

    override func pendingSources() -> [Node] {
        waiters.withLock { $0 }.flatMap { $0.pendingSources() }
    }

    private func dropWaiters() {
        let dropped = waiters.withLock { waiters in
            defer { waiters = [] }
            return waiters
        }
        withExtendedLifetime(dropped) {}
    }
}
