internal import Synchronization

/// A task that waits for a promise.
///
/// The wait does not keep the promise alive: it ends when nothing is left that could settle the promise.
@usableFromInline
@safe
final class Awaiter: Link {
    /// The wait's progress; of a beginning and a cancellation, the first leaves the rest to the other.
    private enum Phase {
        static let made: UInt8 = 0
        static let begun: UInt8 = 1
        static let cancelled: UInt8 = 2
        /// Orders the writes at the end before the task's reads, for the thread sanitizer.
        ///
        /// It does not see that resuming a continuation also orders them while its task is about to wait.
        static let ended: UInt8 = 3
    }

    /// The promise before the wait; after it, the promise if it is settled.
    @exclusivity(unchecked) private var state: State?
    @exclusivity(unchecked) private var continuation: UnsafeContinuation<Void, Never>?
    private let phase = Atomic<UInt8>(Phase.made)

    @usableFromInline
    init(_ state: consuming State) {
        let (origin, source) = unsafe (state.origin, Unmanaged.passUnretained(state))
        unsafe self.state = state
        unsafe continuation = nil
        unsafe super.init(
            { link, source, _ in
                // From here on, a cancellation finds no source.
                if link.claim() { unsafe unsafeDowncast(link, to: Awaiter.self).end(with: source) }
                return false
            }, PlaceNumber.inline, origin, traits: Trait.consumer | Trait.bystander)
        unsafe self.source = source
    }

    /// To be called only once.
    @usableFromInline
    func begin(_ continuation: UnsafeContinuation<Void, Never>) {
        guard let state = unsafe state.take() else { return }
        unsafe self.continuation = continuation
        let isCancelled = phase.exchange(Phase.begun, ordering: .acquiringAndReleasing) == Phase.cancelled
        unsafe state.attach(Unmanaged.passRetained(self))
        if isCancelled { leave() }
    }

    /// Ends the wait because the task was cancelled, and cancels the promise if nothing else waits for it.
    @usableFromInline
    func cancelled() {
        if phase.exchange(Phase.cancelled, ordering: .acquiringAndReleasing) == Phase.begun { leave() }
    }

    /// Returns the promise's settled state; nil if the wait was cancelled or the promise can never be settled.
    @usableFromInline
    func takeSettled() -> State? {
        _ = phase.load(ordering: .acquiring)
        return unsafe state.take()
    }

    /// Why there is no outcome.
    @usableFromInline var failure: PromiseError { isCancelled ? .cancelled : .abandoned }

    override var hasLeft: Bool { isCancelled && isClaimed }

    override func abandoned() {
        // A cancelled wait may still be listed.
        if claim() { end(with: nil) }
    }

    private func leave() {
        guard lock() else { return }
        guard let source = unsafe lockSource() else { return unlock() }
        // A guarantee has no error for a cancellation, so its value is still awaited.
        if unsafe source._withUnsafeGuaranteedRef({ $0.traits & Trait.guarantee != 0 }) {
            unsafe source._withUnsafeGuaranteedRef { $0.unlock() }
            return unlock()
        }
        marks.bitwiseOr(Mark.cancelled, ordering: .relaxed)
        claimLocked()
        State.reject(
            unsafe State.climb(from: source, consumer: Unmanaged.passUnretained(self), isLeaving: true))
        end(with: nil)
    }

    private func end(with settled: State?) {
        unsafe state = settled
        phase.store(Phase.ended, ordering: .releasing)
        unsafe continuation?.resume()
    }
}
