public import Synchronization

/// The places of a `when` or a `race`: who still waits, so that a cancellation finds it.
@usableFromInline
@safe
class Slots {
    @usableFromInline final let count: Int
    /// Of each place the address of its arrival while that waits, else nothing or `kept`.
    @usableFromInline final let words: UnsafeMutablePointer<Atomic<UInt>>

    /// Beside the address: a canceller looks at the arrival, for a few instructions.
    @inlinable static var locked: UInt { 1 }
    /// What was waited for is there, and is kept.
    @inlinable static var kept: UInt { 2 }

    @inlinable
    init(count: Int) {
        self.count = count
        unsafe words = .allocate(capacity: count)
    }

    deinit { unsafe words.deallocate() }

    /// Notes who waits, before it does; to be called once for every place before others hear of them.
    final func expect(_ arrival: Unmanaged<Link>, at index: Int) {
        precondition(index >= 0 && index < count)
        unsafe (words + index).initialize(to: Atomic(UInt(bitPattern: arrival.toOpaque())))
    }

    /// Sees to it that cancellers find the arrival no more, and that none is just looking at it.
    @usableFromInline
    final func leave(_ index: Int, _ arrival: Arrival) {
        let address = arrival.address
        while unsafe !words[index].compareExchange(
            expected: address, desired: 0, successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed
        ).exchanged { Thread.yield() }
    }

    /// The pending promises that are waited for.
    final func pendingSources() -> [State] {
        var sources: [State] = []
        for index in 0..<count {
            guard let entry = unsafe lock(index) else { continue }
            unsafe entry._withUnsafeGuaranteedRef { sources += $0.pendingSources() }
            unsafe words[index].store(UInt(bitPattern: entry.toOpaque()), ordering: .releasing)
        }
        return sources
    }

    /// Keeps the arrival that waits in a place from leaving it, if one does.
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

/// Slots with room for values, each written once by whoever has it, read when all are there.
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

    /// Keeps a value; to be called by the arrival that has left that place.
    @inlinable
    func keep(_ value: T, at index: Int) {
        precondition(index >= 0 && index < count)
        guard let values = unsafe values else { return }
        unsafe (values + index).initialize(to: value)
        unsafe words[index].store(Slots.kept, ordering: .releasing)
    }

    /// All the values; to be called once, by who knows that all are kept.
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

/// Slots with room for two values of different types.
final class Pair<First: Sendable, Second: Sendable>: Slots {
    var first: First?
    var second: Second?

    init() { super.init(count: 2) }
}
