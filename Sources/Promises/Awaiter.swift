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
    /// Cancelling the task cancels the promise.
    /// - Returns: the promise's settled state, or nil if it can never be settled.
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
                if Task.isCancelled { Awaiter.cancel(state) }
            }
        } onCancel: {
            // No source yet if the task was cancelled before it waits; the wait checks for that.
            if let source = lockedSource() { Awaiter.cancel(source) }
        }
        _ = hasEnded.load(ordering: .acquiring)
        return state
    }

    /// A guarantee cannot be rejected: if the work that resolves it stopped, its waiters would wait forever.
    private static func cancel(_ state: State) {
        if state.traits & Trait.guarantee == 0 { state.cancel() }
    }

    override func abandoned() { end(with: nil) }

    private func end(with settled: State?) {
        state = settled
        hasEnded.store(true, ordering: .releasing)
        unsafe continuation?.resume()
    }
}
