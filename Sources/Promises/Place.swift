/// Where handlers run one after another, alongside the handlers of other places.
///
/// Handlers of one place never run at the same time; those of two places may, on as many threads as the machine has
/// cores. A handler without `on:` runs at the place of the handler that attaches it, so everything that a body begins
/// stays at its place:
///
/// ```swift
/// let places = (Place(), Place())
/// let both = when(fulfilled: places.0.perform { sync(ada) }, places.1.perform { sync(bob) })
/// ```
///
/// A place is kept until the promise that ``perform(file:line:_:)`` returns has an outcome. Keep one that is used by its
/// ``queue``: after its release, handlers that still run there may have to wait for those of another place.
public final class Place: Sendable {
    private let place: SerialPlace

    /// Creates a place.
    public init() { place = SerialPlace.take() }

    deinit { place.giveBack() }

    /// The place as a queue, for `on:` and for ``Configuration/Q``.
    ///
    /// What a program dispatches to this queue itself runs when no handler of the place does.
    public var queue: DispatchQueue { place.queue }

    /// Calls a body at this place, and continues with the promise that it returns.
    public func perform<U: Thenable>(
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () throws -> U
    ) -> Promise<U.T> {
        let origin = Origin(file, line)
        let begin = State(fulfilled: (), origin: origin)
        let result = begin.attach(.then({ (_: Void) in try body() }, .place(place.number), origin))
        return Promise<U.T>(state: keep(until: result))
    }

    /// Calls a body at once, on the calling thread; what it begins runs here.
    ///
    /// The body delays the caller, even while it computes alongside the handlers of this place.
    /// - Returns: Nil if this place is not idle, because more are in use than there are; then nothing was called.
    package func enter<T: Sendable>(_ body: @escaping @Sendable () -> Promise<T>) -> Promise<T>? {
        guard let begun = place.enter(body) else { return nil }
        return Promise(state: keep(until: begun.state))
    }

    /// Whether the caller is a handler of a place.
    package static var isCallers: Bool { SerialPlace.current != nil }

    /// Keeps this place until a promise has an outcome.
    private func keep(until result: State) -> State {
        let keep: @Sendable (Result<Void, any Error>) throws -> Void = { _ in withExtendedLifetime(self) {} }
        _ = result.attach(.settle(keep, .inline, result.origin, traits: 0))
        return result
    }
}
