extension CatchMixin {
    /// Continues with the promise that the body returns for this one error; other errors are passed on.
    @preconcurrency
    public func recover<U: Thenable, E: Error & Equatable>(
        only error: E, on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T {
        recover(on: queue, flags: flags, file: file, line: line) { actual -> Promise<T> in
            guard let actual = actual as? E, actual == error else { throw actual }
            return try body(actual).asPromise()
        }
    }

    /// Continues with the promise that the body returns for an error of this type; other errors are passed on.
    @preconcurrency
    public func recover<U: Thenable, E: Error>(
        only type: E.Type, on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = .allErrors, file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable (E) throws -> U
    ) -> Promise<T> where U.T == T {
        recover(on: queue, flags: flags, policy: policy, file: file, line: line) { actual -> Promise<T> in
            guard let actual = actual as? E else { throw actual }
            return try body(actual).asPromise()
        }
    }

    /// Calls the body for this one error; other errors are passed on to the `catch` that must follow.
    @preconcurrency
    public func `catch`<E: Error & Equatable>(
        only error: E, on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (E) -> Void
    ) -> Promise<Void> {
        asVoid(file: file, line: line).recover(on: queue, flags: flags, file: file, line: line) { actual in
            guard let actual = actual as? E, actual == error else { throw actual }
            body(actual)
        }
    }

    /// Calls the body for an error of this type; other errors are passed on to the `catch` that must follow.
    @preconcurrency
    public func `catch`<E: Error>(
        only type: E.Type, on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = conf.catchPolicy, file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable (E) -> Void
    ) -> Promise<Void> {
        asVoid(file: file, line: line).recover(on: queue, flags: flags, policy: policy, file: file, line: line) {
            guard let actual = $0 as? E else { throw $0 }
            body(actual)
        }
    }
}

extension CatchMixin where T == Void {
    /// Calls the body for an error; nothing can fail after it.
    @preconcurrency
    @discardableResult
    public func recover(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (any Error) -> Void
    ) -> Guarantee<Void> {
        let handler: @Sendable (Result<Void, any Error>) throws -> Void = { outcome in
            if case .failure(let error) = outcome { body(error) }
        }
        let traits = Trait.consumer | Trait.guarantee
        return Guarantee(
            state: link(.settle(handler, .map(queue, flags), Origin(file, line), traits: traits)))
    }

    /// Calls the body for an error; if the body throws, its error replaces the first one.
    @preconcurrency
    public func recover(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = .allErrors, file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable (any Error) throws -> Void
    ) -> Promise<Void> {
        let handler: @Sendable (Result<Void, any Error>) throws -> Void = { outcome in
            guard case .failure(let error) = outcome else { return }
            guard policy.covers(error) else { throw error }
            try body(error)
        }
        return Promise(state: link(.settle(handler, .map(queue, flags), Origin(file, line))))
    }

    /// Calls the body for this one error; other errors are passed on.
    @preconcurrency
    public func recover<E: Error & Equatable>(
        only error: E, on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (E) throws -> Void
    ) -> Promise<Void> {
        recover(on: queue, flags: flags, file: file, line: line) { actual in
            guard let actual = actual as? E, actual == error else { throw actual }
            try body(actual)
        }
    }

    /// Calls the body for an error of this type; other errors are passed on.
    @preconcurrency
    public func recover<E: Error>(
        only type: E.Type, on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        policy: CatchPolicy = .allErrors, file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable (E) throws -> Void
    ) -> Promise<Void> {
        recover(on: queue, flags: flags, policy: policy, file: file, line: line) {
            guard let actual = $0 as? E else { throw $0 }
            try body(actual)
        }
    }
}
