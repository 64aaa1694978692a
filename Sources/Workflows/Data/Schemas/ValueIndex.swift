/// The indices of different values, to find one without comparing all of them.
///
/// Values whose hashes collide are compared, which takes steps: hashes cover neither all digits of numbers nor deeply
/// nested data.
struct ValueIndex: Sendable {
    /// The first index of each hash, and further ones if hashes collide.
    private var places: [Int: Int] = [:]
    private var collisions: [Int: [Int]] = [:]
    private(set) var values: [Value] = []

    init() {}

    init(_ values: [Value]) {
        for value in values { insert(value, value.hashValue) }
    }

    func place(of value: Value, _ budget: SchemaBudget) throws(Signal) -> Int? {
        try place(of: value, value.hashValue, budget, try Self.charge(value, budget))
    }

    /// Adds a value unless there is an equal one.
    /// - Returns: The equal value's index; nil if the value was added.
    mutating func add(_ value: Value, _ budget: SchemaBudget) throws(Signal) -> Int? {
        let (cost, hash) = (try Self.charge(value, budget), value.hashValue)
        if let place = try place(of: value, hash, budget, cost) { return place }
        insert(value, hash)
        return nil
    }

    /// Takes the steps for reading the value once, and returns them.
    private static func charge(_ value: Value, _ budget: SchemaBudget) throws(Signal) -> Int {
        let cost = value.nodeCount
        try budget.step(cost)
        return cost
    }

    private func place(
        of value: Value, _ hash: Int, _ budget: SchemaBudget, _ cost: Int
    ) throws(Signal) -> Int? {
        guard let first = places[hash] else { return nil }
        if values[first] == value { return first }
        for place in collisions[hash] ?? [] {
            try budget.step(cost)
            if values[place] == value { return place }
        }
        return nil
    }

    private mutating func insert(_ value: Value, _ hash: Int) {
        if places[hash] == nil {
            places[hash] = values.count
        } else {
            collisions[hash, default: []].append(values.count)
        }
        values.append(value)
    }
}
