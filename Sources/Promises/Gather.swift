public import Synchronization

/// The promise of a `when` or a `race`: settled when enough of its promises are.
///
/// It keeps itself alive until all of them have arrived or are lost, so arrivals need no counted references to it.
@usableFromInline
@safe
final class Gather: State {
    @usableFromInline typealias Finish = @Sendable (Gather, UnsafeMutablePointer<WorkList>) -> Void

    /// What is still awaited, and what has arrived.
    @usableFromInline let slots: Slots
    @usableFromInline let remaining: Atomic<Int>
    private let finish: Finish

    @usableFromInline
    init(_ slots: Slots, _ origin: Origin, traits: UInt8 = Trait.consumer, finish: @escaping Finish) {
        self.slots = slots
        remaining = Atomic(slots.count)
        unsafe self.finish = finish
        super.init(pending: origin, traits: traits)
        if slots.count > 0 { _ = unsafe Unmanaged.passRetained(self) }
    }

    /// Waits for a promise, which may settle this one meanwhile; to be called once for every slot.
    @usableFromInline
    func wait(for state: State, at index: Int, _ run: @escaping Link.Run) {
        // An earlier promise has decided.
        if isSettled, !state.isSettled {
            if lose() { unsafe Unmanaged.passUnretained(self).release() }
            return
        }
        let arrival = unsafe Unmanaged<Link>.passRetained(Arrival(self, index, run))
        // A thread that finds the arrival in its slot may read the source.
        unsafe arrival._withUnsafeGuaranteedRef { $0.waits(for: state) }
        unsafe slots.expect(arrival, at: index)
        unsafe state.attach(arrival)
    }

    @inlinable
    func end<T: Sendable>(_ outcome: Result<T, any Error>, _ work: UnsafeMutablePointer<WorkList>) {
        if unsafe settle(outcome, work) { _ = unsafe Unmanaged.passRetained(self) }
        if remaining.load(ordering: .relaxed) > 1 { leaveSources() }
    }

    @usableFromInline
    func leaveSources() {
        slots.sweepSources()
    }

    fileprivate var isDecided: Bool { word.load(ordering: .acquiring) & (Word.settled | Word.claimed) != 0 }

    /// Whether everything has arrived and nothing was decided before; called when nothing remains.
    @inlinable
    var isComplete: Bool {
        word.load(ordering: .relaxed) & (Word.settled | Word.claimed) == 0
            && marks.load(ordering: .relaxed) & Mark.abandoned == 0
    }

    override func pendingSources() -> [State] { isSettled ? [] : slots.pendingSources() }

    override func forsakeSources() -> [Forsaken]? { isSettled ? nil : slots.forsaken(by: self) }

    /// Counts one promise as arrived.
    /// - Returns: Whether it was the last.
    @usableFromInline
    func countDown(_ work: UnsafeMutablePointer<WorkList>) -> Bool {
        guard remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return false }
        unsafe finish(self, work)
        return true
    }

    /// Counts one promise as lost: it can no longer be settled.
    /// - Returns: Whether it was the last.
    fileprivate func lose() -> Bool {
        marks.bitwiseOr(Mark.abandoned, ordering: .relaxed)
        return remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
    }
}

/// One slot of a `when` or a `race`, which waits for one of its promises.
@usableFromInline
final class Arrival: Link {
    @usableFromInline
    init(_ gather: __shared Gather, _ index: Int, _ run: @escaping Run) {
        unsafe super.init(run, PlaceNumber.inline, gather.origin, traits: Trait.consumer | Trait.bystander)
        // It has no handler and no outcome, so their room is free.
        unsafe put((Unmanaged.passUnretained(gather), index))
    }

    override var needsSource: Bool { unsafe target.gather._withUnsafeGuaranteedRef { !$0.isIndifferent } }

    override var hasLeft: Bool { unsafe target.gather._withUnsafeGuaranteedRef { $0.isDecided } }

    override func removed() { abandoned() }

    @unsafe
    @inlinable
    var target: (gather: Unmanaged<Gather>, index: Int) {
        unsafe get((gather: Unmanaged<Gather>, index: Int).self)
    }

    /// Counts the awaited promise as arrived.
    /// - Returns: False, because nothing keeps this link.
    @inlinable
    func arrive(_ work: UnsafeMutablePointer<WorkList>, _ body: (Gather, Int) -> Void) -> Bool {
        let (gather, index) = unsafe target
        let isLast = unsafe gather._withUnsafeGuaranteedRef { gather in
            gather.slots.leave(index, self)
            body(gather, index)
            return unsafe gather.countDown(work)
        }
        if isLast { unsafe gather.release() }
        return false
    }

    override func abandoned() {
        let (gather, index) = unsafe target
        let isLast = unsafe gather._withUnsafeGuaranteedRef { gather in
            gather.slots.leave(index, self)
            return gather.lose()
        }
        if isLast { unsafe gather.release() }
    }
}

extension Gather {
    /// Keeps the value in `Values`; an error decides.
    @inlinable
    static func keepingValues<T: Sendable>(_ type: T.Type) -> Link.Run {
        { link, source, work in
            unsafe unsafeDowncast(link, to: Arrival.self).arrive(work) { gather, index in
                if source.isRejected { return unsafe gather.end(Result<T, any Error>.failure(source.error), work) }
                unsafe unsafeDowncast(gather.slots, to: Values<T>.self).keep(source.value(as: T.self), at: index)
            }
        }
    }

    /// Passes the value to a closure that keeps it; an error decides.
    static func keeping<T: Sendable>(_ type: T.Type, _ keep: @escaping @Sendable (T) -> Void) -> Link.Run {
        { link, source, work in
            unsafe unsafeDowncast(link, to: Arrival.self).arrive(work) { gather, _ in
                if source.isRejected { return unsafe gather.end(Result<T, any Error>.failure(source.error), work) }
                unsafe keep(source.value(as: T.self))
            }
        }
    }

    @inlinable
    static func keepingOutcomes<T: Sendable>(_ type: T.Type) -> Link.Run {
        { link, source, work in
            unsafe unsafeDowncast(link, to: Arrival.self).arrive(work) { gather, index in
                unsafe unsafeDowncast(gather.slots, to: Values<Result<T, any Error>>.self)
                    .keep(source.knownOutcome(as: T.self), at: index)
            }
        }
    }

    /// The first arrival decides, or the first that is fulfilled.
    @inlinable
    static func deciding<T: Sendable>(_ type: T.Type, skippingFailures: Bool) -> Link.Run {
        { link, source, work in
            unsafe unsafeDowncast(link, to: Arrival.self).arrive(work) { gather, _ in
                if skippingFailures, source.isRejected { return }
                unsafe gather.end(source.knownOutcome(as: T.self), work)
            }
        }
    }
}
