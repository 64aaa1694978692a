internal import Synchronization

/// The promise of a `when` or a `race`: settled when enough of what it waits for is.
@usableFromInline
@safe
final class Gather: State {
    /// What is to be done when everything has arrived.
    @usableFromInline typealias Finish = @Sendable (Gather, UnsafeMutablePointer<WorkList>) -> Void

    /// What waits at the promises that are still pending, so that a cancellation finds them; given up at the end.
    private let arrivals = Locked<[Arrival]>([])
    private let remaining: Atomic<Int>
    private let finish: Finish

    @usableFromInline
    init(count: Int, _ origin: Origin, traits: UInt8 = Trait.consumer, finish: @escaping Finish) {
        remaining = Atomic(count)
        unsafe self.finish = finish
        super.init(pending: origin, traits: traits)
    }

    /// Waits for promises, which may settle this one meanwhile.
    @usableFromInline
    func wait(for states: [State], _ run: @escaping Link.Run) {
        var arrivals: [Arrival] = []
        arrivals.reserveCapacity(states.count)
        for index in states.indices {
            let arrival = unsafe Arrival(self, index, run)
            unsafe states[index].attach(Unmanaged<Link>.passRetained(arrival))
            arrivals.append(arrival)
        }
        self.arrivals.withLock { $0 = arrivals }
        if isSettled || remaining.load(ordering: .acquiring) == 0 { forgetArrivals() }
    }

    /// Notes that one of the promises has done its part.
    @usableFromInline
    func arrive(_ work: UnsafeMutablePointer<WorkList>) {
        guard remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        unsafe finish(self, work)
        forgetArrivals()
    }

    /// Settles, before or when everything has arrived.
    @inlinable
    func end<T: Sendable>(_ outcome: Result<T, any Error>, _ work: UnsafeMutablePointer<WorkList>) {
        if unsafe settle(outcome, work) { _ = unsafe Unmanaged.passRetained(self) }
        forgetArrivals()
    }

    override func pendingSources() -> [State] {
        arrivals.withLock { $0 }.flatMap { $0.pendingSources() }
    }

    /// Notes that one of the promises can no longer be settled.
    fileprivate func lose() {
        marks.bitwiseOr(Mark.abandoned, ordering: .relaxed)
        if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { forgetArrivals() }
    }

    @usableFromInline
    func forgetArrivals() {
        let forgotten = arrivals.withLock { arrivals in
            defer { arrivals = [] }
            return arrivals
        }
        withExtendedLifetime(forgotten) {}
    }
}

/// One place of a `when` or a `race`: waits for one of its promises.
@usableFromInline
final class Arrival: Link {
    @usableFromInline let gather: Gather
    @usableFromInline let index: Int

    @usableFromInline
    init(_ gather: Gather, _ index: Int, _ run: @escaping Run) {
        self.gather = gather
        self.index = index
        unsafe super.init(run, Place.inline, gather.origin, traits: Trait.consumer | Trait.bystander)
    }

    override var beneficiary: State { gather }

    override func abandoned() { gather.lose() }
}

extension Gather {
    /// What an arrival does that keeps the outcome; where an error decides, it keeps values only.
    @inlinable
    static func keeping<T: Sendable>(in slots: Slots<T>, untilFailure: Bool) -> Link.Run {
        { link, source, work in
            // From here on a cancellation finds no source.
            guard link.claim() else { return false }
            let arrival = unsafe unsafeDowncast(link, to: Arrival.self)
            let outcome = unsafe source.knownOutcome(as: T.self)
            if untilFailure, case .failure = outcome {
                unsafe arrival.gather.end(outcome, work)
            } else {
                slots.set(outcome, at: arrival.index)
                unsafe arrival.gather.arrive(work)
            }
            return false
        }
    }

    /// What an arrival does of which the first decides, or the first that is fulfilled.
    @inlinable
    static func deciding<T: Sendable>(_ type: T.Type, skippingFailures: Bool) -> Link.Run {
        { link, source, work in
            guard link.claim() else { return false }
            let arrival = unsafe unsafeDowncast(link, to: Arrival.self)
            let outcome = unsafe source.knownOutcome(as: T.self)
            if skippingFailures, case .failure = outcome {
                unsafe arrival.gather.arrive(work)
            } else {
                unsafe arrival.gather.end(outcome, work)
            }
            return false
        }
    }
}
