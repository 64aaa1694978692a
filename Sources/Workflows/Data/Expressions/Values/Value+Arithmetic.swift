extension Value {
    /// Up to here a double represents every integer exactly, and jq calculates with doubles.
    private static let exactLimit = 1 << 53

    static func number(_ double: Double) -> Value {
        if abs(double) <= Double(exactLimit), double == double.rounded(.towardZero), double != 0 || double.sign == .plus
        {
            return .integer(Int(double))
        }
        return .double(double)
    }

    static func literal(_ double: Double, written number: some Sequence<UInt8>) -> Value {
        if let written = WrittenNumber(number, double: double) { return .double(double, written: written) }
        // Its digits are not kept: it is the greatest number.
        return .number(double.isInfinite ? (double < 0 ? -1 : 1) * .greatestFiniteMagnitude : double)
    }

    private static func isExact(_ integer: Int) -> Bool { integer <= exactLimit && integer >= -exactLimit }

    static func apply(
        _ operation: Syntax.Operator, _ left: Value, _ right: Value, _ evaluation: Evaluation
    ) throws(Signal) -> Value {
        switch operation {
        case .add:
            var sum = left
            try sum.add(right, evaluation)
            return sum
        case .subtract: return try left.subtracting(right, evaluation)
        case .multiply: return try left.multiplied(by: right, evaluation)
        case .divide: return try left.divided(by: right, evaluation)
        case .remainder: return try left.remainder(by: right, evaluation)
        case .equal: return .bool(try left.equals(right, evaluation))
        case .unequal: return .bool(try !left.equals(right, evaluation))
        case .less: return .bool(try left.compared(to: right, evaluation) < 0)
        case .lessOrEqual: return .bool(try left.compared(to: right, evaluation) <= 0)
        case .greater: return .bool(try left.compared(to: right, evaluation) > 0)
        case .greaterOrEqual: return .bool(try left.compared(to: right, evaluation) >= 0)
        case .and: return .bool(try left.truth() ? try right.truth() : false)
        case .or: return .bool(try left.truth() ? true : try right.truth())
        case .alternative: return try left.truth() ? left : right
        }
    }

    /// `+`, in place if this value is not shared.
    mutating func add(_ other: Value, _ evaluation: Evaluation) throws(Signal) {
        switch other {
        case .null: return
        case .integer(let right):
            if case .integer(let left) = self, Self.isExact(left), Self.isExact(right) {
                let sum = left + right
                self = Self.isExact(sum) ? .integer(sum) : .double(Double(sum))
                return
            }
        case .string(let right):
            guard case .string(var left) = self else { break }
            try evaluation.allocate(right.utf8.count + 16)
            try evaluation.step(right.utf8.count >> 6)
            self = .null
            left += right
            self = .string(left)
            return
        case .array(let right):
            guard case .array(var left) = self else { break }
            try evaluation.allocate(right.count * 24 + 16)
            try evaluation.step(right.count >> 4)
            self = .null
            left += right
            self = .array(left)
            return
        case .object(let right):
            guard case .object(var left) = self else { break }
            try evaluation.allocate(right.count * 64 + 16)
            try evaluation.step(right.count >> 2)
            self = .null
            for member in right { left[member.key] = member.value }
            self = .object(left)
            return
        default: break
        }
        if isNull {
            self = other
        } else if let left = double, let right = other.double {
            self = .number(left + right)
        } else if isMarked || other.isMarked {
            self = try markedSum(other, evaluation)
        } else {
            throw .failure("\(named) and \(other.named) cannot be added")
        }
    }

    private func subtracting(_ other: Value, _ evaluation: Evaluation) throws(Signal) -> Value {
        switch (self, other) {
        case (.integer(let left), .integer(let right)) where Self.isExact(left) && Self.isExact(right):
            return Self.isExact(left - right) ? .integer(left - right) : .double(Double(left - right))
        case (.integer, .integer), (.integer, .double), (.double, .integer), (.double, .double):
            return .number((double ?? 0) - (other.double ?? 0))
        case (.array(let left), .array(let right)):
            var result: [Value] = []
            for element in left where try !right.holds(element, evaluation) { result.append(element) }
            try evaluation.built(.array(result), count: result.count)
            return .array(result)
        case (.marked, _), (_, .marked): return try markedResult(.subtract, other, evaluation)
        default: throw .failure("\(named) and \(other.named) cannot be subtracted")
        }
    }

    private func multiplied(by other: Value, _ evaluation: Evaluation) throws(Signal) -> Value {
        switch (self, other) {
        case (.integer(let left), .integer(let right)):
            let (product, overflows) = left.multipliedReportingOverflow(by: right)
            // Zero times a negative number is negative zero in doubles.
            if !overflows, Self.isExact(product), product != 0 || (left >= 0 && right >= 0) { return .integer(product) }
            return .number(Double(left) * Double(right))
        case (.integer, .double), (.double, .integer), (.double, .double):
            return .number((double ?? 0) * (other.double ?? 0))
        case (.string(let text), .integer), (.string(let text), .double):
            return try text.repeated(other.double ?? 0, evaluation)
        case (.integer, .string(let text)), (.double, .string(let text)):
            return try text.repeated(double ?? 0, evaluation)
        case (.object(var left), .object(let right)):
            try left.mergeDeeply(right, evaluation)
            return .object(left)
        case (.marked, _), (_, .marked): return try markedResult(.multiply, other, evaluation)
        default: throw .failure("\(named) and \(other.named) cannot be multiplied")
        }
    }

    private func divided(by other: Value, _ evaluation: Evaluation) throws(Signal) -> Value {
        switch (self, other) {
        case (.integer, .integer), (.integer, .double), (.double, .integer), (.double, .double):
            let dividend = double ?? 0
            let divisor = other.double ?? 0
            if divisor == 0 {
                throw .failure("\(named) and \(other.named) cannot be divided because the divisor is zero")
            }
            return .number(dividend / divisor)
        case (.string(let text), .string(let separator)):
            return try text.split(separator, evaluation)
        case (.marked, _), (_, .marked): return try markedResult(.divide, other, evaluation)
        default: throw .failure("\(named) and \(other.named) cannot be divided")
        }
    }

    private func remainder(by other: Value, _ evaluation: Evaluation) throws(Signal) -> Value {
        guard let left = double, let right = other.double else {
            if isMarked || other.isMarked { return try markedResult(.remainder, other, evaluation) }
            throw .failure("\(named) and \(other.named) cannot be divided (remainder)")
        }
        if left.isNaN || right.isNaN { return .double(.nan) }
        let divisor = Self.truncated(right)
        guard divisor != 0 else {
            throw .failure(
                "\(named) and \(other.named) cannot be divided (remainder) because the divisor is zero")
        }
        let dividend = Self.truncated(left)
        let rest = Int(truncatingIfNeeded: dividend.magnitude % divisor.magnitude)
        return .number(Double(dividend < 0 ? -rest : rest))
    }

    private static func truncated(_ double: Double) -> Int {
        double >= 0x1p63 ? .max : double <= -0x1p63 ? .min : Int(double)
    }

    /// The number without its sign; not-a-number for any other value.
    var absolute: Value {
        switch self {
        case .integer(.min): Value(-Double(Int.min), written: Int.min.magnitude.description.utf8)
        case .integer(let integer): .integer(abs(integer))
        case .double(let double, let written?): .double(abs(double), written: written.magnitude)
        default: .number(abs(double ?? .nan))
        }
    }

    func negated() throws(Signal) -> Value {
        switch self {
        case .integer(let integer) where integer != .min: return .integer(-integer)
        case .integer: return absolute
        // As in jq, a zero that was written has no sign, and loses it here.
        case .double(0, .some): return absolute
        case .double(let double, let written?): return .double(-double, written: written.negated)
        case .double(let double, nil): return .number(-double)
        default: throw .failure("\(named) cannot be negated")
        }
    }
}

extension [Value] {
    func holds(_ value: Value, _ evaluation: Evaluation) throws(Signal) -> Bool {
        for element in self {
            try evaluation.step()
            if try element.equals(value, evaluation) { return true }
        }
        return false
    }
}

extension Object {
    /// `*`: members that are objects on both sides are merged recursively.
    fileprivate mutating func mergeDeeply(_ other: Object, _ evaluation: Evaluation) throws(Signal) {
        try evaluation.deeper { () throws(Signal) in
            try evaluation.step(1 + other.count >> 2)
            try evaluation.allocate(other.count * 64)
            for member in other {
                if case .object(let right) = member.value, case .object(var left) = self[member.key] {
                    try left.mergeDeeply(right, evaluation)
                    self[member.key] = .object(left)
                } else if let planning = evaluation.planning, let left = self[member.key],
                    left.isMarked || member.value.isMarked, left.mayBeObject, member.value.mayBeObject
                {
                    self[member.key] = planning.pending(fails: false)
                } else {
                    self[member.key] = member.value
                }
            }
        }
    }
}

extension String {
    /// Repeats the text this many times, rounded down; null if the number is negative or not a number.
    fileprivate func repeated(_ count: Double, _ evaluation: Evaluation) throws(Signal) -> Value {
        guard count >= 0 else { return .null }
        let times = count.rounded(.down)
        let bytes = times * Double(utf8.count)
        guard bytes < 0x1p40 else { throw evaluation.exhausted("a string would be too long") }
        try evaluation.allocate(Int(bytes) + 16)
        try evaluation.step(Int(bytes) >> 6)
        return .string(isEmpty || times == 0 ? "" : String(repeating: self, count: Int(times)))
    }

    /// With an empty separator, the code points.
    func split(_ separator: String, _ evaluation: Evaluation) throws(Signal) -> Value {
        try evaluation.step(1 + utf8.count >> 5)
        var parts: [Value] = []
        if isEmpty {
            parts = []
        } else if separator.isEmpty {
            parts = unicodeScalars.map { .string(String($0)) }
        } else {
            let bytes = Array(utf8)
            let wanted = Array(separator.utf8)
            var start = 0
            for place in bytes.places(of: wanted, overlapping: false) {
                parts.append(.string(String(decoding: bytes[start..<place], as: UTF8.self)))
                start = place + wanted.count
            }
            parts.append(.string(String(decoding: bytes[start...], as: UTF8.self)))
        }
        try evaluation.built(.array(parts), count: parts.count)
        return .array(parts)
    }
}

extension [UInt8] {
    func places(of wanted: [UInt8], overlapping: Bool) -> [Int] {
        guard let first = wanted.first else { return [] }
        var places: [Int] = []
        var start = 0
        while start + wanted.count <= count {
            if self[start] == first, self[start..<(start + wanted.count)].elementsEqual(wanted) {
                places.append(start)
                start += overlapping ? 1 : wanted.count
            } else {
                start += 1
            }
        }
        return places
    }
}
