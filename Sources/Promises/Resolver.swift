/// Settles a pending promise; the first call counts, later ones do nothing.
public struct Resolver<T: Sendable>: Sendable {
    @usableFromInline let state: State

    @inlinable
    init(state: State) { self.state = state }

    /// Fulfills the promise.
    @inlinable
    public func fulfill(_ value: T) { state.fulfill(value) }

    /// Rejects the promise.
    @inlinable
    public func reject(_ error: any Error) { state.reject(error) }

    /// Settles the promise with a result.
    @inlinable
    public func resolve(_ result: Result<T, any Error>) { state.settle(result) }

    /// Settles the promise with a result whose error has a type.
    @_disfavoredOverload
    public func resolve<Failure: Error>(_ result: Result<T, Failure>) { resolve(result.mapError { $0 }) }

    /// Registers a body to call once if the promise is cancelled before it is settled, to stop its work.
    ///
    /// The body is called inside the call that cancels, or at once if the promise has already been cancelled.
    @preconcurrency
    public func onCancel(_ body: @escaping @Sendable () -> Void) {
        let handler = CancellationHandler(body, state.origin)
        let entry = unsafe Unmanaged.passRetained(handler)
        if state.enlist(handler) { return }
        unsafe entry.release()
        if state.isCancelled { handler.cancel() }
    }

    /// Fulfills with the value, or rejects with the error, or with `invalidCallingConvention` if there is neither.
    public func resolve(_ value: T?, _ error: (any Error)?) {
        if let error {
            reject(error)
        } else if let value {
            fulfill(value)
        } else {
            reject(PromiseError.invalidCallingConvention)
        }
    }

    /// Rejects with the error if there is one, otherwise fulfills with the value.
    public func resolve(_ value: T, _ error: (any Error)?) {
        if let error { reject(error) } else { fulfill(value) }
    }

    /// Like `resolve(_:_:)`, for callbacks that pass the error first.
    public func resolve(_ error: (any Error)?, _ value: T?) { resolve(value, error) }

    /// Settles the promise like another thenable.
    public func resolve<U: Thenable>(_ other: U) where U.T == T {
        other.pipe { resolve($0) }
    }
}

extension Resolver where T == Void {
    /// Rejects with the error if there is one, otherwise fulfills.
    public func resolve(_ error: (any Error)?) {
        if let error { reject(error) } else { fulfill(()) }
    }

    /// Fulfills the promise.
    public func fulfill() { fulfill(()) }

    /// Fulfills the promise: PromiseKit's name for `fulfill()` as a closure without arguments.
    public func fulfill_() { fulfill(()) }
}
