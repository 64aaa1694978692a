package struct JSONWriter {
    private enum Open {
        case array([Value], next: Int)
        case object(Object, order: [Int]?, next: Int)
    }

    package var bytes: [UInt8] = []
    private let pretty: Bool
    private let sortedKeys: Bool
    private let isCanonical: Bool
    private var open: [Open] = []

    package init(pretty: Bool = false, sortedKeys: Bool = false) {
        self.pretty = pretty
        self.sortedKeys = sortedKeys
        isCanonical = false
    }

    /// RFC 8785's canonical form.
    init(canonical: ()) {
        (pretty, sortedKeys, isCanonical) = (false, true, true)
    }

    package mutating func write(_ value: Value) {
        begin(value)
        rounds: while let last = open.popLast() {
            switch last {
            case .array(let array, var next):
                while next < array.count {
                    separate(next)
                    next += 1
                    if array[next - 1].mayOpen {
                        open.append(.array(array, next: next))
                        begin(array[next - 1])
                        continue rounds
                    }
                    begin(array[next - 1])
                }
                end(UInt8(ascii: "]"), isEmpty: array.isEmpty)
            case .object(let object, let order, var next):
                while next < object.count {
                    separate(next)
                    let member = object[order?[next] ?? next]
                    next += 1
                    write(member.key)
                    bytes.append(UInt8(ascii: ":"))
                    if pretty { bytes.append(UInt8(ascii: " ")) }
                    if member.value.mayOpen {
                        open.append(.object(object, order: order, next: next))
                        begin(member.value)
                        continue rounds
                    }
                    begin(member.value)
                }
                end(UInt8(ascii: "}"), isEmpty: object.isEmpty)
            }
        }
    }

    private mutating func begin(_ value: Value) {
        switch value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let bool): bytes.append(contentsOf: bool ? "true".utf8 : "false".utf8)
        case .integer(let integer): write(integer)
        case .double(_, let written?) where !isCanonical: bytes.append(contentsOf: written.text.utf8)
        case .double(let double, _): write(double)
        case .string(let string): write(string)
        case .array(let array):
            bytes.append(UInt8(ascii: "["))
            open.append(.array(array, next: 0))
        case .object(let object):
            bytes.append(UInt8(ascii: "{"))
            let order =
                sortedKeys
                ? object.indices.sorted {
                    isCanonical
                        ? Self.precedesCanonically(object[$0].key, object[$1].key)
                        : object[$0].key.unicodeScalars.lexicographicallyPrecedes(object[$1].key.unicodeScalars)
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
        let other = isCanonical ? UInt8(ascii: "\"") : 0x7F
        string.withUTF8 { text in
            var run = 0
            while true {
                let end = unsafe JSONReader.plainEnd(of: UnsafeRawBufferPointer(text), from: run, or: other).end
                unsafe bytes.append(contentsOf: text[run..<end])
                guard end < text.count else { return }
                unsafe escape(text[end])
                run = end + 1
            }
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

    private mutating func write(_ integer: Int) {
        if integer < 0 { bytes.append(UInt8(ascii: "-")) }
        let magnitude = integer.magnitude
        var power: UInt = 1
        while magnitude / power >= 10 { power *= 10 }
        while power > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(magnitude / power % 10))
            power /= 10
        }
    }

    /// Writes the shortest number that reads back the same, formatted as in jq.
    mutating func write(_ double: Double) {
        guard !double.isNaN else { return bytes.append(contentsOf: "null".utf8) }
        let finite = double.isInfinite ? (double < 0 ? -1 : 1) * Double.greatestFiniteMagnitude : double
        guard !isCanonical else { return writeCanonical(finite) }
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

    static func text(of double: Double) -> String {
        var writer = JSONWriter()
        writer.write(double)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The significant digits of a non-negative number, and the decimal point's position among them.
    static func digits(of double: Double) -> (digits: [UInt8], point: Int) {
        guard double != 0 else { return ([UInt8(ascii: "0")], 1) }
        var digits: [UInt8] = []
        var point = 0
        var isWhole = true
        var text = double.description.utf8.makeIterator()
        while let byte = text.next(), byte != UInt8(ascii: "e") {
            if byte == UInt8(ascii: ".") {
                isWhole = false
            } else if digits.isEmpty, byte == UInt8(ascii: "0") {
                if !isWhole { point -= 1 }
            } else {
                digits.append(byte)
                if isWhole { point += 1 }
            }
        }
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        point += Int(String(decoding: Array(IteratorSequence(text)), as: UTF8.self)) ?? 0
        return (digits, point)
    }
}

extension Value {
    fileprivate var mayOpen: Bool {
        switch self {
        case .array, .object, .marked: true
        case .null, .bool, .integer, .double, .string: false
        }
    }
}
