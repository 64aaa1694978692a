extension Value: Hashable {
    /// Whether both represent the same data: `1` equals `1.0`, and the order of an object's names does not matter.
    ///
    /// Numbers that kept their digits are compared by all of them.
    public static func == (left: Value, right: Value) -> Bool {
        var waiting: [(Value, Value)] = []
        var next: (Value, Value)? = (left, right)
        while let (left, right) = next {
            switch (left, right) {
            case (.array(let left), .array(let right)):
                guard left.count == right.count else { return false }
                for position in left.indices {
                    guard isEqual(left[position], right[position], &waiting) else { return false }
                }
            case (.object(let left), .object(let right)):
                guard left.count == right.count else { return false }
                for member in left {
                    guard let other = right[member.key], isEqual(member.value, other, &waiting) else { return false }
                }
            default: guard isEqual(left, right, &waiting) else { return false }
            }
            next = waiting.popLast()
        }
        return true
    }

    private static func isEqual(_ left: Value, _ right: Value, _ waiting: inout [(Value, Value)]) -> Bool {
        switch (left, right) {
        case (.null, .null): return true
        case (.bool(let left), .bool(let right)): return left == right
        case (.integer(let left), .integer(let right)): return left == right
        case (.double(let one, _), .double(let another, _)):
            return one == another && left.comparedByDigits(to: right) == 0
        case (.integer(let integer), .double(let double, _)), (.double(let double, _), .integer(let integer)):
            return Double(integer) == double && left.comparedByDigits(to: right) == 0
        case (.string(let left), .string(let right)): return left.hasSameScalars(as: right)
        case (.marked(let left), .marked(let right)): return left == right
        case (.array, .array), (.object, .object):
            waiting.append((left, right))
            return true
        default: return false
        }
    }

    /// Hashes the value; equal values have equal hashes.
    ///
    /// Only the outer levels of deeply nested data are hashed.
    public func hash(into hasher: inout Hasher) { hash(into: &hasher, levels: 16) }

    func hash(into hasher: inout Hasher, levels: Int) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let bool): hasher.combine(bool)
        case .integer(let integer): hasher.combine(Double(integer))
        case .double(let double, _): hasher.combine(double)
        case .string(let string): hasher.combine(string)
        case .array(let array):
            hasher.combine(array.count)
            guard levels > 0 else { return }
            for element in array { element.hash(into: &hasher, levels: levels - 1) }
        case .object(let object): object.hash(into: &hasher, levels: levels)
        case .marked(let marked): hasher.combine(marked)
        }
    }
}
