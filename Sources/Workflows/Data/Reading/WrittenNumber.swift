/// The digits of a number that its double would not reproduce: `1.10`, `1E+1000`, or twenty digits.
///
/// As in jq, a number keeps its digits from reading to writing; calculations give doubles.
public final class WrittenNumber: Sendable {
    /// All digits of the number as jq writes them: trailing zeros stay, and an exponent appears only if required.
    ///
    /// The form is a "scientific string" of the General Decimal Arithmetic specification.
    public let text: String

    private init(_ text: String) { self.text = text }

    /// Keeps a decimal number as written; nil if its double is written the same, or is out of range.
    ///
    /// - Parameter number: An optional sign, digits with or without a point, and an optional exponent.
    convenience init?(_ number: some Sequence<UInt8>, double: Double) {
        var parts = Parts(number)
        parts.trimLeadingZeros()
        guard let text = parts.text else { return nil }
        // Up to 15 digits, a double is written with the digits that were read.
        if parts.isPlain, parts.digits.count <= 15 { return nil }
        // Output of this program is read back unchanged, even in the form of doubles: `1e-07`, or 17 digits and 16
        // zeros.
        if parts.digits.count <= 33 {
            let usual = JSONWriter.text(of: double)
            if usual == text || usual.utf8.elementsEqual(number) { return nil }
        }
        self.init(text)
    }

    var negated: WrittenNumber {
        WrittenNumber(text.hasPrefix("-") ? String(text.dropFirst()) : "-" + text)
    }

    var magnitude: WrittenNumber { text.hasPrefix("-") ? negated : self }

    /// Compares two numbers by all their digits.
    ///
    /// - Precondition: The doubles are equal, and so are the signs, unless both are zero.
    /// - Returns: A negative number if the left is less, 0 if both are equal.
    static func compare(_ left: String, _ right: String) -> Int {
        var left = Parts(left.utf8)
        var right = Parts(right.utf8)
        left.trimLeadingZeros()
        right.trimLeadingZeros()
        let order = left.compareMagnitude(right)
        return left.isNegative ? -order : order
    }
}

extension WrittenNumber {
    /// A decimal number: its digits times a power of ten.
    private struct Parts {
        var isNegative = false
        var digits: [UInt8] = []
        var exponent = 0

        private static let zero = UInt8(ascii: "0")
        /// The range of jq's arithmetic; beyond it are infinity and zero.
        private static let exponents = -999_999_999...999_999_999

        init(_ number: some Sequence<UInt8>) {
            var isFraction = false
            var bytes = number.makeIterator()
            while let byte = bytes.next() {
                switch byte {
                case UInt8(ascii: "-"): isNegative = true
                case UInt8(ascii: "."): isFraction = true
                case UInt8(ascii: "e"), UInt8(ascii: "E"): exponent += Self.exponent(&bytes)
                case Self.zero...UInt8(ascii: "9"):
                    digits.append(byte)
                    if isFraction { exponent -= 1 }
                default: break
                }
            }
        }

        private static func exponent(_ bytes: inout some IteratorProtocol<UInt8>) -> Int {
            var exponent = 0
            var isNegative = false
            while let byte = bytes.next() {
                if byte == UInt8(ascii: "-") { isNegative = true }
                if let digit = byte.decimalDigit { exponent = min(exponent * 10 + Int(digit), 1 << 40) }
            }
            return isNegative ? -exponent : exponent
        }

        mutating func trimLeadingZeros() {
            digits.removeFirst(min(digits.prefix { $0 == Self.zero }.count, max(0, digits.count - 1)))
        }

        private var isZero: Bool { digits == [Self.zero] }

        private var first: Int { exponent + digits.count - 1 }

        /// Whether it would be written without an exponent and without a trailing zero in its fraction.
        var isPlain: Bool {
            exponent == 0 || exponent < 0 && first >= -4 && digits.last != Self.zero
        }

        /// Nil if the exponent is out of range.
        var text: String? {
            guard !digits.isEmpty, Self.exponents.contains(first), Self.exponents.contains(exponent) else { return nil }
            var text: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
            let point = digits.count + exponent
            if exponent > 0 || first < -6 {
                text.append(digits[0])
                if digits.count > 1 { text += [UInt8(ascii: ".")] + digits[1...] }
                text += (first < 0 ? "E" : "E+").utf8
                text += first.description.utf8
            } else if point <= 0 {
                text += "0.".utf8
                text += repeatElement(Self.zero, count: -point)
                text += digits
            } else {
                text += digits[..<point]
                if exponent < 0 { text += [UInt8(ascii: ".")] + digits[point...] }
            }
            return String(decoding: text, as: UTF8.self)
        }

        func compareMagnitude(_ other: Parts) -> Int {
            if isZero || other.isZero { return isZero ? other.isZero ? 0 : -1 : 1 }
            if first != other.first { return first < other.first ? -1 : 1 }
            for position in 0..<max(digits.count, other.digits.count) {
                let one = position < digits.count ? digits[position] : Self.zero
                let another = position < other.digits.count ? other.digits[position] : Self.zero
                if one != another { return one < another ? -1 : 1 }
            }
            return 0
        }
    }
}

extension Value {
    init(_ double: Double, written number: some Sequence<UInt8>) {
        self = .double(double, written: WrittenNumber(number, double: double))
    }

    /// Orders two numbers with equal doubles: by their digits if both have them, else as equal.
    func comparedByDigits(to other: Value) -> Int {
        guard hasWrittenDigits || other.hasWrittenDigits, let left = digits, let right = other.digits else { return 0 }
        return WrittenNumber.compare(left, right)
    }

    private var hasWrittenDigits: Bool {
        if case .double(_, .some) = self { true } else { false }
    }

    /// The number's digits; nil if it can only be calculated, so its last digits mean nothing.
    private var digits: String? {
        switch self {
        case .integer(let integer): return integer.description
        case .double(_, let written?): return written.text
        case .double(let double, nil):
            let text = JSONWriter.text(of: double)
            return text.utf8.count { $0.decimalDigit != nil } <= 15 && !text.utf8.contains(UInt8(ascii: "e"))
                ? text : nil
        default: return nil
        }
    }
}
