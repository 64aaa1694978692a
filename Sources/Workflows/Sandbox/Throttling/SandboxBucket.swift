struct SandboxBucket {
    let capacity: Double
    /// Units per second.
    let rate: Double
    private(set) var level: Double
    private(set) var refused = 0
    private(set) var early = 0
    private var filled: Date
    private var retryFrom = Date.distantPast

    init(_ bucket: Sandbox.Limits.Bucket, at date: Date) {
        capacity = Double(max(1, bucket.units))
        rate = capacity / max(0.001, bucket.seconds)
        level = capacity
        filled = date
    }

    /// The used part of the units: 0 to 1, and more if refused requests count.
    var usage: Double { 1 - level / capacity }

    /// The seconds until all units are refilled.
    var reset: Int { Int(((capacity - level) / rate).rounded(.up)) }

    /// Takes a request's units.
    /// - Parameters:
    ///   - cost: The units.
    ///   - penalty: The units that a refused request takes.
    /// - Returns: The seconds to wait if there are too few units; nil if there are enough.
    mutating func take(_ cost: Int, penalty: Int, at date: Date) -> Int? {
        level = min(capacity, level + max(0, date.timeIntervalSince(filled)) * rate)
        filled = max(filled, date)
        if date < retryFrom { early += 1 }
        let cost = min(Double(cost), capacity)
        // The tolerance absorbs rounding errors.
        guard level + 1e-6 < cost else {
            level -= cost
            return nil
        }
        refused += 1
        level = max(level - Double(penalty), -capacity)
        let seconds = max(1, Int(((cost - level) / rate - 1e-6).rounded(.up)))
        retryFrom = max(retryFrom, date.addingTimeInterval(Double(seconds)))
        return seconds
    }
}
