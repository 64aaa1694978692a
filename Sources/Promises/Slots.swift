/// Room for the outcomes of several promises, each written once by whoever has it, read when all are there.
@usableFromInline
@safe
final class Slots<T: Sendable>: Sendable {
    @usableFromInline nonisolated(unsafe) let slots: UnsafeMutablePointer<Result<T, any Error>?>
    @usableFromInline let count: Int
    /// Whether the outcomes have been taken out.
    @usableFromInline nonisolated(unsafe) var isEmpty = false

    @inlinable
    init(count: Int) {
        unsafe slots = .allocate(capacity: count)
        unsafe slots.initialize(repeating: nil, count: count)
        self.count = count
    }

    deinit {
        // This is not specialised for the type, so that it would cost more than all the rest of a `when`.
        if unsafe !isEmpty { unsafe slots.deinitialize(count: count) }
        unsafe slots.deallocate()
    }

    @inlinable
    func set(_ outcome: Result<T, any Error>, at index: Int) {
        precondition(index >= 0 && index < count)
        unsafe slots[index] = outcome
    }

    @inlinable
    subscript(index: Int) -> Result<T, any Error>? {
        precondition(index >= 0 && index < count)
        return unsafe slots[index]
    }

    /// All the outcomes, or nil when some are missing; to be called once, by who knows that nobody writes any more.
    @inlinable
    func takeOutcomes() -> [Result<T, any Error>]? {
        var outcomes: [Result<T, any Error>] = []
        outcomes.reserveCapacity(count)
        for index in 0..<count {
            guard let outcome = unsafe slots[index] else { return nil }
            outcomes.append(outcome)
        }
        clear()
        return outcomes
    }

    /// All the values, or nil when some are missing; to be called once, by who knows that nobody writes any more.
    @inlinable
    func takeValues() -> [T]? {
        var values: [T] = []
        values.reserveCapacity(count)
        for index in 0..<count {
            guard case .success(let value) = unsafe slots[index] else { return nil }
            values.append(value)
        }
        clear()
        return values
    }

    /// Destroys what is in the slots one by one, which is specialised, as a destruction of all at once is not.
    @inlinable
    func clear() {
        for index in 0..<count { _ = unsafe (slots + index).move() }
        unsafe isEmpty = true
    }
}
