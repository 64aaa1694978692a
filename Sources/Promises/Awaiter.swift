internal import Synchronization

/// A task that waits for a promise.
///
/// The wait does not keep the promise alive: it ends when nothing is left that could settle the promise.
@usableFromInline
@safe
final class Awaiter: Link {
    private var state: State?
    private var continuation: UnsafeContinuation<Void, Never>?
    /// Orders the writes of the end before the reads of the task.
    ///
    /// The thread sanitizer needs this: it does not see that resuming a continuation orders them as well while its task
    /// is about to wait.
    private let hasEnded = Atomic<Bool>(false)

    @usableFromInline
    init(_ state: State) {
        self.state = state
        unsafe continuation = nil
        unsafe super.init(
            { link, source, _ in
                // From here on, a cancellation finds no source.
                guard link.claim(), let awaiter = link as? Awaiter else { return false }
                awaiter.end(with: source)
                return false
            }, Place.inline, state.origin, traits: Trait.consumer | Trait.bystander)
    }

    /// Waits; to be called only once.
    ///
    /// Cancelling the task ends the wait, and cancels the promise if nothing else waits for it.
    /// - Returns: the promise's settled state, or nil if the wait was cancelled or the promise can never be settled.
    @usableFromInline
    func settled() async -> State? {
        await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { continuation in
                guard let state = self.state else { return }
                unsafe self.continuation = continuation
                self.state = nil
                guard self.lock() else { return unsafe continuation.resume() }
                self.waits(for: state)
                self.unlock()
                _ = state.attach(self)
                if Task.isCancelled { self.leave() }
            }
        } onCancel: {
            leave()
        }
        _ = hasEnded.load(ordering: .acquiring)
        return state
    }

    /// Ends the wait because the task was cancelled.
    ///
    /// A guarantee has no error for that: its value is still awaited.
    private func leave() {
        // No source yet if the task was cancelled before it waits; the wait checks for that.
        guard let source = lockedSource(), source.traits & Trait.guarantee == 0, claim() else { return }
        marks.bitwiseOr(Mark.cancelled, ordering: .relaxed)
        State.forsake([source], consumer: self)
        end(with: nil)
    }

    /// Why there is no outcome.
    @usableFromInline var failure: PromiseError { isCancelled ? .cancelled : .abandoned }

    override var hasLeft: Bool { isCancelled && isClaimed }

    override func abandoned() { end(with: nil) }

    private func end(with settled: State?) {
        state = settled
        hasEnded.store(true, ordering: .releasing)
        unsafe continuation?.resume()
    }
}
