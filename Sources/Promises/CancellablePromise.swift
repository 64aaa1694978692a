/// PromiseKit's name for a promise that can be cancelled, which every promise can.
public typealias CancellablePromise<T: Sendable> = Promise<T>

/// PromiseKit's name for a thenable that can be cancelled.
public typealias CancellableThenable = Thenable

/// PromiseKit's name for a thenable that can be cancelled and rejected.
public typealias CancellableCatchMixin = CatchMixin

/// PromiseKit's name for the end of a chain that can be cancelled.
public typealias CancellableFinalizer = Finalizer

/// PromiseKit's name for what `catch(only:)` returns.
public typealias PMKCascadingFinalizer = Promise<Void>

/// PromiseKit's name for what `catch(only:)` returns in a chain that can be cancelled.
public typealias CancellableCascadingFinalizer = Promise<Void>

/// Work that can be cancelled.
public protocol Cancellable {
    /// Stops the work, if it has not ended.
    func cancel()
}

extension DispatchWorkItem: Cancellable {}
extension ScheduledWork: Cancellable {}

extension Thenable {
    /// A separate promise with the same outcome: cancelling it leaves this one to others that wait for it.
    public func cancellize(file: StaticString = #fileID, line: UInt = #line) -> Promise<T> {
        Promise(state: link(.forward(T.self, Origin(file, line))))
    }
}

/// A separate promise with the same outcome: another form of `cancellize()`.
public func cancellize<U: Thenable>(
    _ thenable: U, file: StaticString = #fileID, line: UInt = #line
) -> Promise<U.T> {
    thenable.cancellize(file: file, line: line)
}

/// A separate promise with the same outcome: an older name for `cancellize()`.
public func cancellable<U: Thenable>(
    _ thenable: U, file: StaticString = #fileID, line: UInt = #line
) -> Promise<U.T> {
    thenable.cancellize(file: file, line: line)
}

extension Promise {
    /// The promise itself, where PromiseKit wraps one in another.
    public var promise: Promise<T> { self }

    /// Cancels this promise, without its type.
    public var cancelContext: CancelContext { CancelContext(state) }

    /// Whether the promise was rejected with a cancellation.
    public var isCancelled: Bool { cancelContext.isCancelled }

    /// The same as ``isCancelled``.
    public var cancelAttempted: Bool { cancelContext.cancelAttempted }

    /// The error, if it is a cancellation.
    public var cancelledError: (any Error)? { cancelContext.cancelledError }

    /// Cancels: the error is not kept, the promise is rejected with ``PromiseError/cancelled``.
    @available(*, deprecated, message: "The error is not kept: the promise is rejected with PromiseError.cancelled.")
    public func cancel(with error: any Error) { cancel() }

    /// Creates a promise that the body's resolver settles, and whose cancellation cancels the work.
    @preconcurrency
    public init(
        cancellable work: any Cancellable & Sendable, file: StaticString = #fileID, line: UInt = #line,
        resolver body: (Resolver<T>) throws -> Void
    ) {
        self.init(file: file, line: line, resolver: body)
        setCancellable(work)
    }

    /// Uses the given promise, whose cancellation from now on cancels the work.
    @preconcurrency
    public init(cancellable work: any Cancellable & Sendable, promise: Promise<T>, resolver: Resolver<T>) {
        self = promise
        resolver.onCancel { work.cancel() }
    }

    /// Cancels the work when this promise is cancelled.
    ///
    /// - Parameters:
    ///   - work: The work to cancel.
    ///   - reject: Unused, because a cancelled promise is rejected.
    @preconcurrency
    public func setCancellable(_ work: any Cancellable & Sendable, reject: ((any Error) -> Void)? = nil) {
        Resolver<T>(state: state).onCancel { work.cancel() }
    }
}

extension Promise where T == Void {
    /// Creates a promise that is already fulfilled, with nothing to cancel.
    @preconcurrency
    public init(cancellable work: any Cancellable & Sendable, file: StaticString = #fileID, line: UInt = #line) {
        self.init(file: file, line: line)
    }
}

extension Guarantee {
    /// Creates a guarantee that the body's closure resolves; if nothing waits for it, the work is cancelled.
    @preconcurrency
    public init(
        cancellable work: any Cancellable & Sendable, file: StaticString = #fileID, line: UInt = #line,
        resolver body: (_ resolve: @escaping @Sendable (T) -> Void) -> Void
    ) {
        self.init(file: file, line: line, resolver: body)
        setCancellable(work)
    }

    /// Cancels the work when everything that waits for this guarantee has been cancelled.
    @preconcurrency
    public func setCancellable(_ work: any Cancellable & Sendable) {
        Resolver<T>(state: state).onCancel { work.cancel() }
    }
}
