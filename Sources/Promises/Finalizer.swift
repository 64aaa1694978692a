/// The end of a chain, after its `catch`; only `finally` can follow.
public struct Finalizer: Sendable {
    @usableFromInline let guarantee: Guarantee<Void>
    /// Cancels the promise on which `catch` was called.
    public let cancelContext: CancelContext

    @inlinable
    init(guarantee: Guarantee<Void>, of promise: State) {
        self.guarantee = guarantee
        cancelContext = CancelContext(promise)
    }

    /// Calls the body when the chain has ended, with any outcome.
    @preconcurrency
    @discardableResult
    public func finally(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () -> Void
    ) -> CancelContext {
        guarantee.done(on: queue, flags: flags, file: file, line: line, body)
        return cancelContext
    }

    /// Cancels the promise on which `catch` was called.
    public func cancel() { cancelContext.cancel() }

    /// Whether the promise on which `catch` was called was rejected with a cancellation.
    public var isCancelled: Bool { cancelContext.isCancelled }

    /// The same as ``isCancelled``.
    public var cancelAttempted: Bool { cancelContext.cancelAttempted }

    /// The error of the promise on which `catch` was called, if it is a cancellation.
    public var cancelledError: (any Error)? { cancelContext.cancelledError }

    /// Cancels: the error is not kept, the promise is rejected with ``PromiseError/cancelled``.
    @available(*, deprecated, message: "The error is not kept: the promise is rejected with PromiseError.cancelled.")
    public func cancel(with error: any Error) { cancel() }
}

/// PromiseKit's name for `Finalizer`.
public typealias PMKFinalizer = Finalizer
