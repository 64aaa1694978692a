/// A type that will have an outcome: `Promise`, `Guarantee`, or your own.
@preconcurrency
public protocol Thenable: Sendable {
    /// The type of the value.
    associatedtype T: Sendable

    /// Calls the body with the outcome, now or later, on any thread.
    @preconcurrency
    func pipe(to body: @escaping @Sendable (Result<T, any Error>) -> Void)

    /// The outcome, or nil while it is pending.
    var result: Result<T, any Error>? { get }

    /// A promise with the same outcome.
    func asPromise() -> Promise<T>
}

extension Thenable {
    /// A promise with the same outcome.
    public func asPromise() -> Promise<T> {
        let (promise, resolver) = Promise<T>.pending()
        pipe { resolver.resolve($0) }
        return promise
    }

    @inlinable
    func link(_ link: __owned Link) -> State { asPromise().state.attach(link) }

    /// The state of the handler's result for the value; a handler that may run at once waits in no list.
    @inlinable
    func mapped<U: Sendable>(
        _ handler: @escaping @Sendable (T) throws -> U, _ executor: __owned Executor, _ origin: Origin
    ) -> State {
        let source = asPromise().state
        guard executor.isInline, source.isSettled else {
            if case .place(let place) = executor, let value = source.plainValue(as: T.self) {
                return ReadyLink.map(handler, of: value, place, origin).start()
            }
            return source.attach(Link.map(handler, executor, origin))
        }
        if source.isRejected {
            source.observe()
            return unsafe State(rejected: source.error, origin: origin)
        }
        do { return State(fulfilled: try handler(unsafe source.value(as: T.self)), origin: origin) } catch {
            return State(rejected: error, origin: origin)
        }
    }

    /// Whether there is no outcome yet.
    public var isPending: Bool { result == nil }

    /// Whether there is an outcome.
    public var isResolved: Bool { result != nil }

    /// Whether the outcome is a value.
    public var isFulfilled: Bool { if case .success = result { true } else { false } }

    /// Whether the outcome is an error.
    public var isRejected: Bool { if case .failure = result { true } else { false } }

    /// The error, if the outcome is one.
    public var error: (any Error)? { if case .failure(let error) = result { error } else { nil } }
}

extension Result {
    /// Whether it is a value: PromiseKit's name.
    public var isFulfilled: Bool { if case .success = self { true } else { false } }
}
