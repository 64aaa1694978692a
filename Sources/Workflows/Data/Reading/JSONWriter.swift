/// Writes a value as JSON text, without recursion.
package struct JSONWriter {
    /// A collection that is being written.
    private enum Open {
        case array([Value], next: Int)
        case object(Object, order: [Int]?, next: Int)
    }

    package var bytes: [UInt8] = []
    private let pretty: Bool
    private let sortedKeys: Bool
    private var open: [Open] = []

    package init(pretty: Bool = false, sortedKeys: Bool = false) {
        self.pretty = pretty
        self.sortedKeys = sortedKeys
    }

    package mutating func write(_ value: Value) {
        begin(value)
        while let last = open.popLast() {
            switch last {
            case .array(let array, let next):
                guard next < array.count else {
                    end(UInt8(ascii: "]"), isEmpty: array.isEmpty)
                    continue
                }
                separate(next)
                open.append(.array(array, next: next + 1))
                begin(array[next])
            case .object(let object, let order, let next):
                guard next < object.count else {
                    end(UInt8(ascii: "}"), isEmpty: object.isEmpty)
                    continue
                }
                separate(next)
                open.append(.object(object, order: order, next: next + 1))
                let member = object[order?[next] ?? next]
                write(member.key)
                bytes.append(UInt8(ascii: ":"))
                if pretty { bytes.append(UInt8(ascii: " ")) }
                begin(member.value)
            }
        }
    }

    private mutating func begin(_ value: Value) {
        switch value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let bool): bytes.append(contentsOf: bool ? "true".utf8 : "false".utf8)
        case .integer(let integer): bytes.append(contentsOf: integer.description.utf8)
        case .double(let double): write(double)
        case .string(let string): write(string)
        case .array(let array):
            bytes.append(UInt8(ascii: "["))
            open.append(.array(array, next: 0))
        case .object(let object):
            bytes.append(UInt8(ascii: "{"))
            let order =
                sortedKeys
                ? object.indices.sorted {
                    object[$0].key.unicodeScalars.lexicographicallyPrecedes(object[$1].key.unicodeScalars)
                }
                : nil
            open.append(.object(object, order: order, next: 0))
        case .marked(let marked): begin(marked.drawn)
        }
    }

    private mutating func separate(_ next: Int) {
        if next > 0 { bytes.append(UInt8(ascii: ",")) }
        breakLine(open.count + 1)
    }

    private mutating func end(_ bracket: UInt8, isEmpty: Bool) {
        if !isEmpty { breakLine(open.count) }
        bytes.append(bracket)
    }

    private mutating func breakLine(_ level: Int) {
        guard pretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * level))
    }

    package mutating func write(_ string: String) {
        bytes.append(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { text in
            var run = 0
            for offset in text.indices {
                let byte = unsafe text[offset]
                guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F else {
                    continue
                }
                unsafe bytes.append(contentsOf: text[run..<offset])
                escape(byte)
                run = offset + 1
            }
            unsafe bytes.append(contentsOf: text[run...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\n"): bytes.append(UInt8(ascii: "n"))
        case UInt8(ascii: "\r"): bytes.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\t"): bytes.append(UInt8(ascii: "t"))
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        default:
            bytes.append(contentsOf: "u00".utf8)
            for digit in [byte >> 4, byte & 15] { bytes.append(contentsOf: String(digit, radix: 16).utf8) }
        }
    }

    /// Writes the shortest number that reads back the same, formatted as in jq.
    mutating func write(_ double: Double) {
        guard !double.isNaN else { return bytes.append(contentsOf: "null".utf8) }
        let finite = double.isInfinite ? (double < 0 ? -1 : 1) * Double.greatestFiniteMagnitude : double
        if finite.sign == .minus { bytes.append(UInt8(ascii: "-")) }
        let (digits, point) = Self.digits(of: finite.magnitude)
        switch point {
        case ...(-4), (digits.count + 16)...:
            bytes.append(digits[0])
            if digits.count > 1 {
                bytes.append(UInt8(ascii: "."))
                bytes.append(contentsOf: digits[1...])
            }
            let exponent = abs(point - 1)
            bytes.append(contentsOf: point < 1 ? "e-".utf8 : "e+".utf8)
            if exponent < 10 { bytes.append(UInt8(ascii: "0")) }
            bytes.append(contentsOf: exponent.description.utf8)
        case ...0:
            bytes.append(contentsOf: "0.".utf8)
            bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: -point))
            bytes.append(contentsOf: digits)
        case digits.count...:
            bytes.append(contentsOf: digits)
            bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: point - digits.count))
        default:
            bytes.append(contentsOf: digits[..<point])
            bytes.append(UInt8(ascii: "."))
            bytes.append(contentsOf: digits[point...])
        }
    }

    /// The significant digits of a number that is not negative, and the position of the decimal point among them.
    private static func digits(of double: Double) -> (digits: [UInt8], point: Int) {
        guard double != 0 else { return ([UInt8(ascii: "0")], 1) }
        let parts = double.description.split(separator: "e", maxSplits: 1)
        let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let whole = mantissa[0].utf8.drop { $0 == UInt8(ascii: "0") }
        var digits = Array(whole)
        var point = whole.count + exponent
        if mantissa.count > 1 { digits += mantissa[1].utf8 }
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        let zeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
        digits.removeFirst(zeros)
        point -= zeros
        return (digits, point)
    }
}
