internal import Synchronization

/// A task that waits for a promise.
///
/// While it waits it does not keep the promise: when nobody is left who could settle that, the wait ends.
@usableFromInline
@safe
final class Awaiter: Link {
    private var state: State?
    private var continuation: UnsafeContinuation<Void, Never>?
    /// Orders what the end writes before what the task reads, in the eyes of the thread sanitizer as well, which does not
    /// see that a continuation does so when it is resumed while its task is about to wait.
    private let hasEnded = Atomic<Bool>(false)

    @usableFromInline
    init(_ state: State) {
        self.state = state
        unsafe continuation = nil
        unsafe super.init(
            { link, source, _ in
                // From here on a cancellation finds no source.
                guard link.claim(), let awaiter = link as? Awaiter else { return false }
                awaiter.end(with: source)
                return false
            }, Place.inline, state.origin, traits: Trait.consumer | Trait.bystander)
    }

    /// Waits; to be called once.
    ///
    /// Cancelling the task cancels the promise.
    /// - Returns: the promise's state, settled, or nil if that can never be.
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
            // Nothing yet, when the task was cancelled before it waits: that is looked at once it does.
            if let source = lockedSource() { Awaiter.cancel(source) }
        }
        _ = hasEnded.load(ordering: .acquiring)
        return state
    }

    /// A guarantee cannot be rejected: stopping what would resolve it would leave those who wait for it waiting for ever.
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
