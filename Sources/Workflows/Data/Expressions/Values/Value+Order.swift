extension Value {
    /// Compares in jq's order: null, false, true, numbers, strings by code point, arrays, objects.
    ///
    /// - Returns: A negative number if the value sorts before the other, 0 if both are equal.
    /// - Complexity: Linear in the smaller of both.
    func compared(to other: Value, _ evaluation: Evaluation) throws(Signal) -> Int {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): return left < right ? -1 : left == right ? 0 : 1
        case (.double(let left, _), .double(let right, _)):
            // Not-a-number sorts below every number, including itself.
            return left < right || left.isNaN ? -1 : left == right ? comparedByDigits(to: other) : 1
        case (.integer(let integer), .double(let right, _)):
            let left = Double(integer)
            return right.isNaN ? 1 : left < right ? -1 : left == right ? comparedByDigits(to: other) : 1
        case (.double(let left, _), .integer(let integer)):
            let right = Double(integer)
            return left < right || left.isNaN ? -1 : left == right ? comparedByDigits(to: other) : 1
        case (.string(let left), .string(let right)): return left.compared(to: right)
        case (.array(let left), .array(let right)):
            return try evaluation.deeper { () throws(Signal) in
                try evaluation.step(1 + min(left.count, right.count) >> 3)
                for (one, another) in zip(left, right) {
                    let order = try one.compared(to: another, evaluation)
                    if order != 0 { return order }
                }
                return left.count - right.count
            }
        case (.object(let left), .object(let right)):
            return try evaluation.deeper { () throws(Signal) in
                try evaluation.step(1 + min(left.count, right.count) >> 2)
                return try left.compared(to: right, evaluation)
            }
        case (.marked, _), (_, .marked): return try markedOrder(other, evaluation)
        default: return rank - other.rank
        }
    }

    /// Sorts by key; the sort is stable.
    static func sorted(
        _ entries: [(key: Value, value: Value)], _ evaluation: Evaluation
    ) throws(Signal) -> [(key: Value, value: Value)] {
        try evaluation.allocate(entries.count * 64)
        do {
            return try entries.enumerated().sorted { left, right in
                try evaluation.step()
                let order = try left.element.key.compared(to: right.element.key, evaluation)
                return order == 0 ? left.offset < right.offset : order < 0
            }.map(\.element)
        } catch let signal as Signal {
            throw signal
        } catch {
            throw .failure("\(error)")
        }
    }

    func equals(_ other: Value, _ evaluation: Evaluation) throws(Signal) -> Bool {
        switch (self, other) {
        case (.array(let left), .array(let right)) where left.count != right.count: false
        case (.object(let left), .object(let right)) where left.count != right.count: false
        case (.string(let left), .string(let right)): left.hasSameScalars(as: right)
        default: try compared(to: other, evaluation) == 0
        }
    }

    func isIdenticalScalar(to other: Value) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let one, _), .double(let another, _)): one == another && comparedByDigits(to: other) == 0
        default: false
        }
    }

    /// As in jq, true and false are different types.
    func hasSameKind(as other: Value) -> Bool { rank == other.rank }

    private var rank: Int {
        switch self {
        case .null: 0
        case .bool(false): 1
        case .bool(true): 2
        case .integer, .double: 3
        case .string: 4
        case .array: 5
        case .object: 6
        case .marked: 7
        }
    }
}

extension Object {
    /// By code point, as `keys` returns them.
    var sortedKeys: [String] { keys.sorted { $0.compared(to: $1) < 0 } }

    fileprivate func compared(to other: Object, _ evaluation: Evaluation) throws(Signal) -> Int {
        let left = sortedKeys
        let right = other.sortedKeys
        for (one, another) in zip(left, right) {
            let order = one.compared(to: another)
            if order != 0 { return order }
        }
        if left.count != right.count { return left.count - right.count }
        for key in left {
            let order = try (self[key] ?? .null).compared(to: other[key] ?? .null, evaluation)
            if order != 0 { return order }
        }
        return 0
    }
}
