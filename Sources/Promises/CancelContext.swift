/// Cancels a chain and says whether it was cancelled, for any type of value.
public struct CancelContext: Sendable {
    @usableFromInline let state: State

    @inlinable
    init(_ state: State) { self.state = state }

    /// Cancels the promise that this came from, like ``Promise/cancel()``.
    public func cancel() {
        if state.traits & Trait.guarantee == 0 {
            state.cancel()
        } else {
            State.forsake(state, consumer: state)
        }
    }

    /// The error of the promise, if that is a cancellation.
    public var cancelledError: (any Error)? {
        guard state.isSettled, state.isRejected, unsafe state.error.isCancelled else { return nil }
        return unsafe state.error
    }

    /// Whether the promise was rejected with a cancellation.
    public var isCancelled: Bool { cancelledError != nil }

    /// The same as ``isCancelled``: cancelling a settled promise has no effect and is not recorded.
    public var cancelAttempted: Bool { isCancelled }

    /// Cancels: the error is not kept, the promise is rejected with ``PromiseError/cancelled``.
    @available(*, deprecated, message: "The error is not kept: the promise is rejected with PromiseError.cancelled.")
    public func cancel(with error: any Error) { cancel() }
}
