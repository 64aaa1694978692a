public import Synchronization

/// The slots of a `when` or a `race`, in which a cancellation finds what is still awaited.
@usableFromInline
@safe
class Slots {
    @usableFromInline final let count: Int
    /// For each slot, the address of its waiting arrival, otherwise 0 or `kept`.
    @usableFromInline final let words: UnsafeMutablePointer<Atomic<UInt>>

    /// A flag next to the address: a canceller reads the arrival, for a few instructions.
    @inlinable static var locked: UInt { 1 }
    @inlinable static var kept: UInt { 2 }

    @inlinable
    init(count: Int) {
        self.count = count
        unsafe words = .allocate(capacity: count)
        // An early arrival may decide before the other slots have arrivals.
        for index in 0..<count { unsafe (words + index).initialize(to: Atomic(0)) }
    }

    deinit { unsafe words.deallocate() }

    /// Registers an arrival before it waits; to be called once for every slot.
    final func expect(_ arrival: Unmanaged<Link>, at index: Int) {
        precondition(index >= 0 && index < count)
        unsafe words[index].store(UInt(bitPattern: arrival.toOpaque()), ordering: .releasing)
    }

    /// Removes the arrival when no canceller is reading it; later none can find it.
    @usableFromInline
    final func leave(_ index: Int, _ arrival: Arrival) {
        let address = arrival.address
        while unsafe !words[index].compareExchange(
            expected: address, desired: 0, successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed
        ).exchanged { Thread.yield() }
    }

    final func pendingSources() -> [State] {
        var sources: [State] = []
        for index in 0..<count {
            guard let entry = unsafe lock(index) else { continue }
            unsafe entry._withUnsafeGuaranteedRef { sources += $0.pendingSources() }
            unsafe words[index].store(UInt(bitPattern: entry.toOpaque()), ordering: .releasing)
        }
        return sources
    }

    /// Removes the arrivals that have left from their promises' lists.
    final func sweepSources() {
        for index in 0..<count {
            guard let source = unsafe pinSource(index) else { continue }
            var removed: Unmanaged<Link>?
            unsafe source._withUnsafeGuaranteedRef { source in
                _ = unsafe source.sweep(nil, into: &removed)
                source.unlock()
            }
            unsafe Link.release(removed)
        }
    }

    /// The consequences of leaving the awaited pending promises; nil if there are none.
    ///
    /// All are found before any promise is rejected, because a rejection may settle others.
    final func forsaken(by gather: State) -> [State.Forsaken]? {
        var found: [State.Forsaken]?
        for index in 0..<count {
            guard let source = unsafe pinSource(index) else { continue }
            if found == nil { found = [] }
            var forsaken = unsafe State.climb(
                from: source, consumer: Unmanaged.passUnretained(gather), isLeaving: false)
            unsafe Link.release(forsaken.removed)
            unsafe forsaken.removed = nil
            if unsafe forsaken.top != nil { found?.append(forsaken) } else { forsaken.release() }
        }
        return found
    }

    /// Locks the pending promise awaited in a slot; nil if there is none.
    private final func pinSource(_ index: Int) -> Unmanaged<State>? {
        guard let entry = unsafe lock(index) else { return nil }
        let source = unsafe entry._withUnsafeGuaranteedRef { unsafe $0.pinSource() }
        unsafe words[index].store(UInt(bitPattern: entry.toOpaque()), ordering: .releasing)
        return unsafe source
    }

    /// Locks a slot's waiting arrival, so it cannot leave; nil if there is none.
    private final func lock(_ index: Int) -> Unmanaged<Link>? {
        while let entry = unsafe State.link(words[index].load(ordering: .relaxed)) {
            let address = unsafe UInt(bitPattern: entry.toOpaque())
            let done = unsafe words[index].compareExchange(
                expected: address, desired: address | Slots.locked, successOrdering: .acquiring,
                failureOrdering: .relaxed
            ).exchanged
            if done { return unsafe entry }
            Thread.yield()
        }
        return nil
    }
}

/// Slots with room for values, each written once by its arrival, and read when all have arrived.
@usableFromInline
@safe
final class Values<T: Sendable>: Slots {
    @exclusivity(unchecked) @usableFromInline var values: UnsafeMutablePointer<T>?

    @inlinable
    override init(count: Int) {
        unsafe values = .allocate(capacity: count)
        super.init(count: count)
    }

    deinit {
        guard let values = unsafe values else { return }
        for index in 0..<count where unsafe words[index].load(ordering: .acquiring) == Slots.kept {
            unsafe (values + index).deinitialize(count: 1)
        }
        unsafe values.deallocate()
    }

    /// To be called by the arrival that has left that slot.
    @inlinable
    func keep(_ value: T, at index: Int) {
        precondition(index >= 0 && index < count)
        guard let values = unsafe values else { return }
        unsafe (values + index).initialize(to: value)
        unsafe words[index].store(Slots.kept, ordering: .releasing)
    }

    /// To be called once, when all values are kept.
    @inlinable
    func take() -> [T] {
        guard let values = unsafe values else { return [] }
        defer {
            unsafe values.deallocate()
            unsafe self.values = nil
        }
        return unsafe Array(unsafeUninitializedCapacity: count) { buffer, initialized in
            unsafe buffer.baseAddress?.moveInitialize(from: values, count: count)
            initialized = count
        }
    }
}

final class Pair<First: Sendable, Second: Sendable>: Slots {
    var first: First?
    var second: Second?

    init() { super.init(count: 2) }
}
