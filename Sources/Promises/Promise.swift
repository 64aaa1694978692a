/// The eventual outcome of work: pending at first, then fulfilled with a value or rejected with an error, permanently.
///
/// A promise is a reference to shared state: its copies are the same promise.
public struct Promise<T: Sendable>: Thenable, CatchMixin, Sendable {
    @usableFromInline let state: State

    @inlinable
    init(state: State) { self.state = state }

    /// Creates a promise that the body's resolver settles; an error that the body throws rejects it.
    @inlinable
    @preconcurrency
    public init(
        file: StaticString = #fileID, line: UInt = #line, resolver body: (Resolver<T>) throws -> Void
    ) {
        state = State(pending: Origin(file, line))
        let resolver = Resolver<T>(state: state)
        do { try body(resolver) } catch { resolver.reject(error) }
    }

    /// Creates a promise that one of two closures settles; an error that the body throws rejects it.
    @inlinable
    @preconcurrency
    public init(
        file: StaticString = #fileID, line: UInt = #line,
        resolvers body: (
            _ fulfill: @escaping @Sendable (T) -> Void, _ reject: @escaping @Sendable (any Error) -> Void
        ) throws -> Void
    ) {
        self.init(
            file: file, line: line,
            resolver: { resolver in
                try body({ resolver.fulfill($0) }, { resolver.reject($0) })
            })
    }

    /// Creates a promise that is already rejected.
    @inlinable
    public init(error: any Error, file: StaticString = #fileID, line: UInt = #line) {
        state = State(rejected: error, origin: Origin(file, line))
    }

    /// Creates a promise with the outcome of any thenable.
    @inlinable
    public init<U: Thenable>(_ bridge: U) where U.T == T { self = bridge.asPromise() }

    /// A promise that is already fulfilled.
    @inlinable
    public static func value(_ value: T, file: StaticString = #fileID, line: UInt = #line) -> Promise<T> {
        Promise(state: State(fulfilled: value, origin: Origin(file, line)))
    }

    /// A pending promise, and the resolver that settles it.
    @inlinable
    public static func pending(
        file: StaticString = #fileID, line: UInt = #line
    ) -> (promise: Promise<T>, resolver: Resolver<T>) {
        let state = State(pending: Origin(file, line))
        return (Promise(state: state), Resolver(state: state))
    }

    /// The outcome, or nil while the promise is pending.
    @inlinable
    public var result: Result<T, any Error>? { state.outcome(as: T.self) }

    /// The promise itself.
    @inlinable
    public func asPromise() -> Promise<T> { self }

    /// Calls the body with the outcome: at once if there is one, otherwise inside the call that settles the promise.
    @preconcurrency
    public func pipe(to body: @escaping @Sendable (Result<T, any Error>) -> Void) {
        if let result {
            state.observe()
            return body(result)
        }
        _ = state.attach(.settle(body, .inline, state.origin))
    }

    /// Rejects the promise, if it is pending, with `PromiseError.cancelled`, and notifies the promises that it waits
    /// for.
    ///
    /// A promise further up is rejected, and its `onCancel` called, when everything that waits for it has been
    /// cancelled.
    ///
    /// A guarantee's promise cannot be rejected, but the work that resolves it stops if nothing else waits for it.
    public func cancel() { cancelContext.cancel() }

    /// Whether two promises are the same one, not just equal in outcome.
    public static func === (left: Promise, right: Promise) -> Bool { left.state === right.state }

    /// Whether two promises are not the same one.
    public static func !== (left: Promise, right: Promise) -> Bool { left.state !== right.state }
}

extension Promise where T == Void {
    /// A promise that is already fulfilled.
    public static var value: Promise<Void> { Promise() }

    /// Creates a promise that is already fulfilled.
    @inlinable
    public init(file: StaticString = #fileID, line: UInt = #line) {
        state = State(fulfilled: (), origin: Origin(file, line))
    }
}

extension Promise: CustomStringConvertible, CustomDebugStringConvertible {
    /// `Promise(…Int)` while it is pending, then `Promise(1)` with the value or the error.
    public var description: String {
        switch result {
        case nil: "Promise(…\(T.self))"
        case .failure(let error)?: "Promise(\(error))"
        case .success(let value)?: "Promise(\(value))"
        }
    }

    /// The state with the types: `Promise<Int>.pending(handlers: 0)`, `.fulfilled(1)` or `.rejected(Failure.first)`.
    public var debugDescription: String {
        switch result {
        case nil: "Promise<\(T.self)>.pending(handlers: \(state.waitingCount))"
        case .failure(let error)?: "Promise<\(T.self)>.rejected(\(type(of: error)).\(error))"
        case .success(let value)?: "Promise<\(T.self)>.fulfilled(\(value))"
        }
    }
}
