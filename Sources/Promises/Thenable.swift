/// Whatever will have an outcome one day: `Promise`, `Guarantee`, or a type of yours.
@preconcurrency
public protocol Thenable: Sendable {
    /// What it is fulfilled with.
    associatedtype T: Sendable

    /// Calls the body with the outcome, now or later, on no particular thread.
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

    /// Gives a new link to this promise.
    @inlinable
    func link(_ link: Link) -> Link {
        asPromise().state.attach(link)
        return link
    }
}
