/// Room for the outcomes of several promises, each written once by whoever has it, read when all are there.
@safe
final class Slots<T: Sendable>: Sendable {
    private nonisolated(unsafe) let slots: UnsafeMutablePointer<Result<T, any Error>?>
    private let count: Int

    init(count: Int) {
        unsafe slots = .allocate(capacity: count)
        unsafe slots.initialize(repeating: nil, count: count)
        self.count = count
    }

    deinit {
        unsafe slots.deinitialize(count: count)
        unsafe slots.deallocate()
    }

    func set(_ result: Result<T, any Error>, at index: Int) {
        precondition(index >= 0 && index < count)
        unsafe slots[index] = result
    }

    /// All the outcomes, or nil when some are missing.
    var results: [Result<T, any Error>]? {
        var results: [Result<T, any Error>] = []
        results.reserveCapacity(count)
        for index in 0..<count {
            guard let result = unsafe slots[index] else { return nil }
            results.append(result)
        }
        return results
    }

    /// All the values, or nil when some are missing.
    var values: [T]? {
        var values: [T] = []
        values.reserveCapacity(count)
        for index in 0..<count {
            guard case .success(let value) = unsafe slots[index] else { return nil }
            values.append(value)
        }
        return values
    }

    /// The value of the only slot.
    var value: T? {
        guard case .success(let value) = unsafe slots[0] else { return nil }
        return value
    }
}
