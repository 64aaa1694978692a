/// A thenable that may be rejected, and whose rejection can be handled.
public protocol CatchMixin: Thenable {}

extension CatchMixin {
    /// Calls the body with the error, if there is one, at the end of a chain.
    ///
    /// The policy decides whether the body is called for a cancellation.
    @inlinable
    @preconcurrency
    @discardableResult
    public func `catch`(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = conf.catchPolicy, file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable (any Error) -> Void
    ) -> Finalizer {
        let handler: @Sendable (Result<T, any Error>) throws -> Void = { result in
            guard case .failure(let error) = result, policy.covers(error) else { return }
            body(error)
        }
        let source = asPromise().state
        let end = source.attach(.settle(handler, .end(queue, flags), Origin(file, line)))
        return Finalizer(guarantee: Guarantee(state: end), of: source)
    }

    /// Continues with the promise that the body returns for an error; if the body throws, its error replaces the first
    /// one.
    @inlinable
    @preconcurrency
    public func recover<U: Thenable>(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = .allErrors, file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable (any Error) throws -> U
    ) -> Promise<T> where U.T == T {
        let handler: @Sendable (Result<T, any Error>) throws -> Promise<T>? = { result in
            guard case .failure(let error) = result, policy.covers(error) else { return nil }
            return try body(error).asPromise()
        }
        return Promise(state: link(.follow(handler, .map(queue, flags), Origin(file, line))))
    }

    /// Continues with the guarantee that the body returns for an error; nothing can fail after it.
    @inlinable
    @preconcurrency
    @discardableResult
    public func recover(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable (any Error) -> Guarantee<T>
    ) -> Guarantee<T> {
        let handler: @Sendable (Result<T, any Error>) throws -> Promise<T>? = { result in
            guard case .failure(let error) = result else { return nil }
            return body(error).asPromise()
        }
        let traits = Trait.consumer | Trait.guarantee
        return Guarantee(state: link(.follow(handler, .map(queue, flags), Origin(file, line), traits: traits)))
    }

    /// Continues with the plain value that the body returns for an error; if it throws, its error replaces the first
    /// one.
    @inlinable
    @preconcurrency
    @_disfavoredOverload
    public func recover(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = .allErrors, file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable (any Error) throws -> T
    ) -> Promise<T> {
        let handler: @Sendable (Result<T, any Error>) throws -> T = { result in
            guard case .failure(let error) = result, policy.covers(error) else { return try result.get() }
            return try body(error)
        }
        return Promise(state: link(.settle(handler, .map(queue, flags), Origin(file, line))))
    }

    /// Calls the body for any outcome, including a cancellation of this promise, and passes the outcome on.
    @inlinable
    @preconcurrency
    public func ensure(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () -> Void
    ) -> Promise<T> {
        let handler: @Sendable (Result<T, any Error>) throws -> T = { result in
            body()
            return try result.get()
        }
        let traits = Trait.consumer | Trait.always
        return Promise(state: link(.settle(handler, .end(queue, flags), Origin(file, line), traits: traits)))
    }

    /// Calls the body for any outcome, and passes the outcome on when the body's promise is fulfilled.
    ///
    /// An error of the body's promise replaces the outcome.
    @inlinable
    @preconcurrency
    public func ensureThen<U: Thenable>(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () -> U
    ) -> Promise<T> where U.T == Void {
        let handler: @Sendable (Result<T, any Error>) throws -> Promise<T>? = { result in
            body().asPromise().map(on: nil) { try result.get() }
        }
        let traits = Trait.consumer | Trait.always
        return Promise(state: link(.follow(handler, .end(queue, flags), Origin(file, line), traits: traits)))
    }

    /// Calls the body for any outcome, at the end of a chain.
    @inlinable
    @preconcurrency
    @discardableResult
    public func finally(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () -> Void
    ) -> Guarantee<Void> {
        let handler: @Sendable (Result<T, any Error>) throws -> Void = { _ in body() }
        let traits = Trait.consumer | Trait.always | Trait.guarantee
        return Guarantee(
            state: link(.settle(handler, .end(queue, flags), Origin(file, line), traits: traits)))
    }

    /// Calls the body with the outcome, at the end of a chain: one link instead of a `done` and a `catch`.
    @inlinable
    package func finally(
        file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        let traits = Trait.consumer | Trait.guarantee
        _ = link(.settle(body, .end(nil as DispatchWorkItemFlags?), Origin(file, line), traits: traits))
    }

    /// Ends a chain without handling its error, which `conf.logHandler` receives unless it is a cancellation.
    @discardableResult
    public func cauterize(file: StaticString = #fileID, line: UInt = #line) -> Finalizer {
        let origin = asPromise().state.origin
        return self.catch(file: file, line: line) { conf.report(.cauterized($0), origin) }
    }
}

extension CatchPolicy {
    @usableFromInline
    func covers(_ error: any Error) -> Bool {
        switch self {
        case .allErrors: true
        case .allErrorsExceptCancellation: !error.isCancelled
        }
    }
}
