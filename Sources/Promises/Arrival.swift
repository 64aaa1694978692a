/// One place of a `when` or a `race`: waits for one of its promises.
final class Arrival<Source: Sendable, T: Sendable>: Node, @unchecked Sendable {
    /// What an outcome means for the whole.
    enum Rule: Sendable {
        /// `when(fulfilled:)`: a value is kept, an error decides.
        case values(Slots<Source>, Int)
        /// `when(resolved:)`: every outcome is kept.
        case results(Slots<Source>, Int)
        /// `race`: the first outcome decides.
        case first(@Sendable (Source) -> T)
        /// `race(fulfilled:)`: the first value decides.
        case firstValue(@Sendable (Source) -> T)
    }

    private let gather: Gather<T>
    private let rule: Rule

    init(_ gather: Gather<T>, _ rule: Rule, _ origin: Origin) {
        self.gather = gather
        self.rule = rule
        super.init(origin, place: Place.inline, traits: Trait.consumer)
    }

    override func fire(_ work: UnsafeMutablePointer<WorkList>) -> Bool {
        // From here on a cancellation finds no source.
        guard claim(), let source = unsafe source else { return false }
        let result = unsafe source._withUnsafeGuaranteedRef { unsafe unsafeDowncast($0, to: State<Source>.self).result }
        unsafe source.release()
        switch (result, rule) {
        case (.success?, .values(let slots, let index)), (_?, .results(let slots, let index)):
            if let result { slots.set(result, at: index) }
            unsafe gather.arrive(work)
        case (.success(let value)?, .first(let transform)), (.success(let value)?, .firstValue(let transform)):
            unsafe gather.end(.success(transform(value)), work)
        case (.failure?, .firstValue): unsafe gather.arrive(work)
        case (.failure(let error)?, _): unsafe gather.end(.failure(error), work)
        case (nil, _): break
        }
        return false
    }

    override func abandoned() { gather.lose() }
}

extension Gather {
    /// Waits for one promise with one rule.
    func waiter<Source: Sendable>(for source: State<Source>, _ rule: Arrival<Source, T>.Rule) -> Node {
        let arrival = Arrival(self, rule, origin)
        unsafe source.attach(Unmanaged.passRetained(arrival))
        return arrival
    }
}
