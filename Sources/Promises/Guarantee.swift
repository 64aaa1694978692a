/// A promise that cannot be rejected.
public struct Guarantee<T: Sendable>: Thenable, Sendable {
    @usableFromInline let state: State

    @inlinable
    init(state: State) { self.state = state }

    /// Creates a guarantee that the closure passed to the body resolves.
    @inlinable
    @preconcurrency
    public init(
        file: StaticString = #fileID, line: UInt = #line,
        resolver body: (_ resolve: @escaping @Sendable (T) -> Void) -> Void
    ) {
        let state = State(pending: Origin(file, line), traits: Trait.consumer | Trait.guarantee)
        self.state = state
        body { state.fulfill($0) }
    }

    /// A guarantee that is already resolved.
    @inlinable
    public static func value(_ value: T, file: StaticString = #fileID, line: UInt = #line) -> Guarantee<T> {
        Guarantee(state: State(fulfilled: value, origin: Origin(file, line)))
    }

    /// A pending guarantee, and the closure that resolves it.
    @inlinable
    public static func pending(
        file: StaticString = #fileID, line: UInt = #line
    ) -> (guarantee: Guarantee<T>, resolve: @Sendable (T) -> Void) {
        let state = State(pending: Origin(file, line), traits: Trait.consumer | Trait.guarantee)
        return (Guarantee(state: state), { state.fulfill($0) })
    }

    /// The outcome, or nil while the guarantee is pending.
    @inlinable
    public var result: Result<T, any Error>? { state.outcome(as: T.self) }

    /// A promise with the same outcome; only the type changes.
    @inlinable
    public func asPromise() -> Promise<T> { Promise(state: state) }

    /// Calls the body with the outcome: at once if there is one, otherwise inside the call that resolves the guarantee.
    @preconcurrency
    public func pipe(to body: @escaping @Sendable (Result<T, any Error>) -> Void) { asPromise().pipe(to: body) }

    /// Whether two guarantees are the same one.
    public static func === (left: Guarantee, right: Guarantee) -> Bool { left.state === right.state }
}

extension Guarantee where T == Void {
    /// A guarantee that is already resolved.
    public static var value: Guarantee<Void> { Guarantee() }

    /// Creates a guarantee that is already resolved.
    @inlinable
    public init(file: StaticString = #fileID, line: UInt = #line) {
        state = State(fulfilled: (), origin: Origin(file, line))
    }

    /// Creates a guarantee that the closure passed to the body resolves: a closure without arguments.
    @inlinable
    @preconcurrency
    @_disfavoredOverload
    public init(
        file: StaticString = #fileID, line: UInt = #line,
        resolver body: (_ resolve: @escaping @Sendable () -> Void) -> Void
    ) {
        self.init(
            file: file, line: line, resolver: { (resolve: @escaping @Sendable (T) -> Void) in body { resolve(()) } })
    }
}

extension Guarantee {
    /// Calls the body with the value and continues with the guarantee that it returns.
    @inlinable
    @preconcurrency
    @discardableResult
    public func then<U: Sendable>(
        flags: DispatchWorkItemFlags? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable (T) -> Guarantee<U>
    ) -> Guarantee<U> {
        Guarantee<U>(
            state: link(.then(body, .map(flags), Origin(file, line), traits: Trait.consumer | Trait.guarantee)))
    }

    /// Calls the body with the value, on a queue or inline, and continues with the guarantee that it returns.
    @inlinable
    @preconcurrency
    @discardableResult
    public func then<U: Sendable>(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (T) -> Guarantee<U>
    ) -> Guarantee<U> {
        Guarantee<U>(
            state: link(.then(body, .map(queue, flags), Origin(file, line), traits: Trait.consumer | Trait.guarantee)))
    }

    /// Continues with the body's result for the value.
    @inlinable
    @preconcurrency
    public func map<U: Sendable>(
        flags: DispatchWorkItemFlags? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ transform: @escaping @Sendable (T) -> U
    ) -> Guarantee<U> {
        Guarantee<U>(
            state: link(
                .map(transform, .map(flags), Origin(file, line), traits: Trait.consumer | Trait.guarantee)))
    }

    /// Continues with the body's result for the value, on a queue or inline.
    @inlinable
    @preconcurrency
    public func map<U: Sendable>(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ transform: @escaping @Sendable (T) -> U
    ) -> Guarantee<U> {
        Guarantee<U>(
            state: link(
                .map(transform, .map(queue, flags), Origin(file, line), traits: Trait.consumer | Trait.guarantee)))
    }

    /// Calls the body with the value, at the end of a chain.
    @inlinable
    @preconcurrency
    @discardableResult
    public func done(
        flags: DispatchWorkItemFlags? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable (T) -> Void
    ) -> Guarantee<Void> {
        Guarantee<Void>(
            state: link(.map(body, .end(flags), Origin(file, line), traits: Trait.consumer | Trait.guarantee)))
    }

    /// Calls the body with the value, on a queue or inline, at the end of a chain.
    @inlinable
    @preconcurrency
    @discardableResult
    public func done(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (T) -> Void
    ) -> Guarantee<Void> {
        Guarantee<Void>(
            state: link(.map(body, .end(queue, flags), Origin(file, line), traits: Trait.consumer | Trait.guarantee)))
    }

    /// Calls the body with the value and continues with the same value.
    @inlinable
    @preconcurrency
    public func get(
        flags: DispatchWorkItemFlags? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable (T) -> Void
    ) -> Guarantee<T> {
        let transform: @Sendable (T) -> T = { value in
            body(value)
            return value
        }
        return Guarantee<T>(
            state: link(
                .map(transform, .end(flags), Origin(file, line), traits: Trait.consumer | Trait.guarantee)))
    }

    /// Calls the body with the value, on a queue or inline, and continues with the same value.
    @inlinable
    @preconcurrency
    public func get(
        on queue: DispatchQueue?, flags: DispatchWorkItemFlags? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (T) -> Void
    ) -> Guarantee<T> {
        let transform: @Sendable (T) -> T = { value in
            body(value)
            return value
        }
        return Guarantee<T>(
            state: link(
                .map(transform, .end(queue, flags), Origin(file, line), traits: Trait.consumer | Trait.guarantee)))
    }

    /// The same guarantee without its value.
    @inlinable
    public func asVoid(file: StaticString = #fileID, line: UInt = #line) -> Guarantee<Void> {
        map(on: nil, file: file, line: line) { _ in }
    }
}
