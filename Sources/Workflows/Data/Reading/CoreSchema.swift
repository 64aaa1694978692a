/// YAML's core schema: which plain scalars are null, booleans and numbers (section 10.3.2).
enum CoreSchema {
    static let prefix = "tag:yaml.org,2002:"

    enum Tag: String {
        case null, bool, int, float, str, seq, map

        init?(_ tag: String) {
            guard tag.hasPrefix(CoreSchema.prefix) else { return nil }
            self.init(rawValue: String(tag.dropFirst(CoreSchema.prefix.count)))
        }

        func value(of text: String) -> Value? {
            let value = CoreSchema.value(of: text)
            switch (self, value) {
            case (.str, _): return .string(text)
            case (.null, .null), (.bool, .bool), (.int, .integer), (.float, .double): return value
            case (.float, .integer(let integer)): return .double(Double(integer))
            case (.int, .double) where CoreSchema.isInteger(text): return value
            default: return nil
            }
        }
    }

    static func value(of text: String) -> Value {
        var text = text
        return text.withUTF8 { bytes in
            guard let first = unsafe bytes.first else { return .null }
            switch first {
            case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "0")...UInt8(ascii: "9"):
                return unsafe number(bytes.span)
            default: return nil
            }
        } ?? word(text)
    }

    private static func word(_ text: String) -> Value {
        switch text {
        case "null", "Null", "NULL", "~": .null
        case "true", "True", "TRUE": .bool(true)
        case "false", "False", "FALSE": .bool(false)
        default: .string(text)
        }
    }

    private static func isInteger(_ text: String) -> Bool {
        !text.contains { $0 == "." || $0 == "e" || $0 == "E" } || text.hasPrefix("0x")
    }

    private static func number(_ bytes: Span<UInt8>) -> Value? {
        var offset = 0
        var isNegative = false
        if bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-") {
            isNegative = bytes[0] == UInt8(ascii: "-")
            offset = 1
        } else if bytes.count > 2, bytes[0] == UInt8(ascii: "0") {
            if bytes[1] == UInt8(ascii: "x") { return based(bytes, 16) }
            if bytes[1] == UInt8(ascii: "o") { return based(bytes, 8) }
        }
        let first = offset
        var magnitude = 0
        var overflows = false
        while offset < bytes.count, let digit = bytes[offset].decimalDigit {
            let (product, first) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, second) =
                isNegative
                ? product.subtractingReportingOverflow(Int(digit)) : product.addingReportingOverflow(Int(digit))
            overflows = overflows || first || second
            magnitude = sum
            offset += 1
        }
        if offset == bytes.count, offset > first {
            // As in JSON, a zero keeps its sign.
            if overflows || (magnitude == 0 && isNegative) { return double(bytes) }
            return .integer(magnitude)
        }
        return fraction(bytes, from: offset, hasDigits: offset > first, isNegative: isNegative)
    }

    private static func fraction(
        _ bytes: Span<UInt8>, from start: Int, hasDigits: Bool, isNegative: Bool
    ) -> Value? {
        var offset = start
        var hasDigits = hasDigits
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
            if !hasDigits, let special = special(bytes, from: offset, isNegative: isNegative) { return special }
            offset += 1
            while offset < bytes.count, bytes[offset].decimalDigit != nil {
                offset += 1
                hasDigits = true
            }
        }
        guard hasDigits else { return nil }
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "e") || bytes[offset] == UInt8(ascii: "E") {
            offset += 1
            if offset < bytes.count, bytes[offset] == UInt8(ascii: "+") || bytes[offset] == UInt8(ascii: "-") {
                offset += 1
            }
            let exponent = offset
            while offset < bytes.count, bytes[offset].decimalDigit != nil { offset += 1 }
            guard offset > exponent else { return nil }
        }
        return offset == bytes.count ? double(bytes) : nil
    }

    private static func special(_ bytes: Span<UInt8>, from dot: Int, isNegative: Bool) -> Value? {
        guard bytes.count - dot == 4 else { return nil }
        let word = String(decoding: (dot..<bytes.count).map { bytes[$0] }, as: UTF8.self)
        switch word {
        case ".inf", ".Inf", ".INF": return .double(isNegative ? -.infinity : .infinity)
        case ".nan", ".NaN", ".NAN": return dot == 0 ? .double(.nan) : nil
        default: return nil
        }
    }

    private static func double(_ bytes: Span<UInt8>) -> Value? {
        // `strtod` accepts more, but the input is known to be decimal digits, a point and an exponent.
        let number = bytes.indices.map { bytes[$0] }
        return Double(String(decoding: number, as: UTF8.self)).map { Value($0, written: number) }
    }

    private static func based(_ bytes: Span<UInt8>, _ base: Int) -> Value? {
        let digits = String(decoding: (2..<bytes.count).map { bytes[$0] }, as: UTF8.self)
        guard digits.utf8.allSatisfy({ Int($0.hexadecimalDigit ?? 99) < base }) else { return nil }
        if let integer = Int(digits, radix: base) { return .integer(integer) }
        // From hexadecimal text, the parser does the only rounding, correctly.
        let bits = digits.utf8.reduce(into: "") { bits, digit in
            let digit = String(digit.hexadecimalDigit ?? 0, radix: 2)
            bits += String(repeating: "0", count: (base == 16 ? 4 : 3) - digit.utf8.count) + digit
        }
        let padded = Array((String(repeating: "0", count: (4 - bits.utf8.count % 4) % 4) + bits).utf8)
        let hexadecimal = stride(from: 0, to: padded.count, by: 4).map { start in
            String(padded[start..<(start + 4)].reduce(0) { $0 * 2 + Int($1 - UInt8(ascii: "0")) }, radix: 16)
        }
        return .double(Double("0x" + hexadecimal.joined()) ?? .infinity)
    }
}

extension UInt8 {
    var decimalDigit: UInt8? {
        let digit = self &- UInt8(ascii: "0")
        return digit < 10 ? digit : nil
    }
}
