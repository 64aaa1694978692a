/// Room for the outcomes of several promises, each written once by whoever has it, read when all are there.
@usableFromInline
@safe
final class Slots<T: Sendable>: Sendable {
    @usableFromInline nonisolated(unsafe) let slots: UnsafeMutablePointer<Result<T, any Error>?>
    @usableFromInline let count: Int

    @inlinable
    init(count: Int) {
        unsafe slots = .allocate(capacity: count)
        unsafe slots.initialize(repeating: nil, count: count)
        self.count = count
    }

    deinit {
        unsafe slots.deinitialize(count: count)
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

    /// All the outcomes, or nil when some are missing.
    @inlinable var outcomes: [Result<T, any Error>]? {
        var outcomes: [Result<T, any Error>] = []
        outcomes.reserveCapacity(count)
        for index in 0..<count {
            guard let outcome = unsafe slots[index] else { return nil }
            outcomes.append(outcome)
        }
        return outcomes
    }

    /// All the values, or nil when some are missing.
    @inlinable var values: [T]? {
        var values: [T] = []
        values.reserveCapacity(count)
        for index in 0..<count {
            guard case .success(let value) = unsafe slots[index] else { return nil }
            values.append(value)
        }
        return values
    }
}
