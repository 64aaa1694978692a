enum SchemaNumber {
    /// Negative, zero or positive if the left number is less than, equal to or greater than the right one.
    static func compare(_ left: Value, _ right: Value) -> Int {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): return left < right ? -1 : left > right ? 1 : 0
        case (.integer(let left), .double(let right, _)): return -compare(right, left)
        case (.double(let left, _), .integer(let right)): return compare(left, right)
        default:
            let (left, right) = (left.double ?? 0, right.double ?? 0)
            return left < right ? -1 : left > right ? 1 : 0
        }
    }

    private static func compare(_ left: Double, _ right: Int) -> Int {
        guard let whole = Int(exactly: left.rounded(.towardZero)) else { return left < 0 ? -1 : 1 }
        if whole != right { return whole < right ? -1 : 1 }
        let fraction = left - left.rounded(.towardZero)
        return fraction < 0 ? -1 : fraction > 0 ? 1 : 0
    }

    /// Uses decimal digits: 0.3 is a multiple of 0.1.
    static func isMultiple(_ value: Value, of divisor: Value) -> Bool {
        if case .integer(let value) = value, case .integer(let divisor) = divisor {
            return value.isMultiple(of: divisor)
        }
        guard let (digits, exponent) = decimal(value), let (unit, scale) = decimal(divisor), unit > 0 else {
            return false
        }
        if digits == 0 { return true }
        if exponent >= scale {
            // A power of ten modulo the divisor, within 128 bits.
            var remainder = digits % unit
            for _ in 0..<(exponent - scale) where remainder != 0 { remainder = remainder * 10 % unit }
            return remainder == 0
        }
        var scaled = unit
        for _ in 0..<(scale - exponent) {
            guard scaled <= digits else { return false }
            scaled *= 10
        }
        return digits % scaled == 0
    }

    private static func decimal(_ value: Value) -> (digits: UInt128, exponent: Int)? {
        switch value {
        case .integer(let integer): return (UInt128(integer.magnitude), 0)
        case .double(let double, _) where double.isFinite:
            let parts = double.magnitude.description.split(separator: "e")
            let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
            let decimals = mantissa.count > 1 && mantissa[1] != "0" ? mantissa[1] : ""
            guard let digits = UInt128(mantissa[0] + decimals) else { return nil }
            let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
            return (digits, exponent - decimals.count)
        default: return nil
        }
    }
}
