/// A task that waits for a promise.
///
/// While it waits it does not keep the promise: when nobody is left who could settle that, the wait ends.
@usableFromInline
@safe
final class Awaiter<T: Sendable>: Node, @unchecked Sendable {
    private var state: State<T>?
    private var continuation: UnsafeContinuation<Result<T, any Error>, Never>?

    @usableFromInline
    init(_ state: State<T>) {
        self.state = state
        unsafe continuation = nil
        super.init(state.origin, place: Place.inline, traits: Trait.consumer)
    }

    /// Waits; to be called once. Cancelling the task cancels the promise.
    @usableFromInline
    func outcome() async -> Result<T, any Error> {
        await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { continuation in
                guard let state = self.state else { return }
                unsafe self.continuation = continuation
                self.state = nil
                unsafe state.attach(Unmanaged.passRetained(self))
                if Task.isCancelled { state.cancel(PromiseError.cancelled) }
            }
        } onCancel: {
            // Nothing yet, when the task was cancelled before it waits: that is looked at once it does.
            lockedSource()?.withdraw(PromiseError.cancelled)
        }
    }

    override func fire(_ work: UnsafeMutablePointer<WorkList>) -> Bool {
        // From here on a cancellation finds no source.
        guard claim(), let source = unsafe source else { return false }
        let result = unsafe source._withUnsafeGuaranteedRef { unsafe unsafeDowncast($0, to: State<T>.self).result }
        unsafe source.release()
        if let result { unsafe continuation?.resume(returning: result) }
        return false
    }

    override func abandoned() {
        unsafe continuation?.resume(returning: .failure(PromiseError.abandoned))
    }
}
