extension Thenable {
    /// Calls the body with the value and continues with the promise that it returns.
    @inlinable
    @preconcurrency
    public func then<U: Thenable>(
        flags: DispatchWorkItemFlags? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable (T) throws -> U
    ) -> Promise<U.T> {
        Promise<U.T>(state: link(.then(body, .map(flags), Origin(file, line))))
    }

    /// Calls the body with the value, on a queue or inline, and continues with the promise that it returns.
    @inlinable
    @preconcurrency
    public func then<U: Thenable>(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (T) throws -> U
    ) -> Promise<U.T> {
        Promise<U.T>(state: link(.then(body, .map(queue, flags), Origin(file, line))))
    }

    /// Calls the body with the value and continues with the plain value that it returns, as in PromiseKit 4.
    @inlinable
    @preconcurrency
    @_disfavoredOverload
    public func then<U: Sendable>(
        flags: DispatchWorkItemFlags? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable (T) throws -> U
    ) -> Promise<U> {
        map(flags: flags, file: file, line: line, body)
    }

    /// Calls the body with the value, on a queue or inline, and continues with the plain value that it returns.
    @inlinable
    @preconcurrency
    @_disfavoredOverload
    public func then<U: Sendable>(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (T) throws -> U
    ) -> Promise<U> {
        map(on: queue, flags: flags, file: file, line: line, body)
    }

    /// Continues with the body's result for the value.
    @inlinable
    @preconcurrency
    public func map<U: Sendable>(
        flags: DispatchWorkItemFlags? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ transform: @escaping @Sendable (T) throws -> U
    ) -> Promise<U> {
        Promise(state: mapped(transform, .map(flags), Origin(file, line)))
    }

    /// Continues with the body's result for the value, on a queue or inline.
    @inlinable
    @preconcurrency
    public func map<U: Sendable>(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @Sendable (T) throws -> U
    ) -> Promise<U> {
        Promise(state: mapped(transform, .map(queue, flags), Origin(file, line)))
    }

    /// Continues with the body's result for the value; nil rejects with `PromiseError.compactMap`.
    @inlinable
    @preconcurrency
    public func compactMap<U: Sendable>(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @Sendable (T) throws -> U?
    ) -> Promise<U> {
        map(on: queue, flags: flags, file: file, line: line) { value in
            guard let result = try transform(value) else { throw PromiseError.compactMap(value, U.self) }
            return result
        }
    }

    /// Calls the body with the value, at the end of a chain.
    @inlinable
    @preconcurrency
    public func done(
        flags: DispatchWorkItemFlags? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable (T) throws -> Void
    ) -> Promise<Void> {
        Promise(state: mapped(body, .end(flags), Origin(file, line)))
    }

    /// Calls the body with the value, on a queue or inline, at the end of a chain.
    @inlinable
    @preconcurrency
    public func done(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (T) throws -> Void
    ) -> Promise<Void> {
        Promise(state: mapped(body, .end(queue, flags), Origin(file, line)))
    }

    /// Calls the body with the value and continues with the same value.
    @inlinable
    @preconcurrency
    public func get(
        flags: DispatchWorkItemFlags? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable (T) throws -> Void
    ) -> Promise<T> {
        let transform: @Sendable (T) throws -> T = { value in
            try body(value)
            return value
        }
        return Promise(state: mapped(transform, .end(flags), Origin(file, line)))
    }

    /// Calls the body with the value, on a queue or inline, and continues with the same value.
    @inlinable
    @preconcurrency
    public func get(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (T) throws -> Void
    ) -> Promise<T> {
        let transform: @Sendable (T) throws -> T = { value in
            try body(value)
            return value
        }
        return Promise(state: mapped(transform, .end(queue, flags), Origin(file, line)))
    }

    /// Calls the body with the outcome and continues with the same outcome.
    @inlinable
    @preconcurrency
    public func tap(
        on queue: DispatchQueue? = unspecified, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable (Result<T, any Error>) -> Void
    ) -> Promise<T> {
        let settle: @Sendable (Result<T, any Error>) throws -> T = { result in
            body(result)
            return try result.get()
        }
        return Promise(state: link(.settle(settle, .map(queue, flags), Origin(file, line))))
    }

    /// The same promise without its value.
    @inlinable
    public func asVoid(file: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
        map(on: nil, file: file, line: line) { _ in }
    }
}
