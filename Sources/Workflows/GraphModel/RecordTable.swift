/// Records in a text of the program, which is read where it lies: nothing of it is copied before it is looked up.
///
/// Each record ends with `;`. Numbers are written with a fixed width in the digits of `make-graph-model.py`.
struct RecordTable: Sendable {
    let text: StaticString
    /// Each record's position, in three digits.
    let offsets: StaticString

    var count: Int { offsets.utf8CodeUnitCount / 3 }

    /// A record without its end.
    subscript(_ index: Int) -> Substring { text.record(at: offsets.number(at: index * 3, width: 3), upTo: ";") }

    /// The start of a record.
    func head(_ index: Int) -> Substring { text.record(at: offsets.number(at: index * 3, width: 3), upTo: ",") }
}

extension StaticString {
    func byte(at position: Int) -> UInt8 { unsafe utf8Start[position] }

    /// The text from a position to the next end of a record, or to a separator before it.
    func record(at position: Int, upTo separator: Unicode.Scalar) -> Substring {
        var end = position
        while case let byte = self.byte(at: end), byte != UInt8(ascii: ";"), byte != UInt8(ascii: separator) {
            end += 1
        }
        let bytes = unsafe UnsafeBufferPointer(start: utf8Start + position, count: end - position)
        return Substring(unsafe String(decoding: bytes, as: UTF8.self))
    }

    func number(at position: Int, width: Int) -> Int {
        (position..<position + width).reduce(0) { $0 * Digits.count + Digits.value(of: byte(at: $1)) }
    }
}

/// The digits of numbers: printable characters that separate nothing.
enum Digits {
    static let count = 86
    private static let first = UInt8(ascii: "#")
    private static let values: [UInt8] = {
        let separators = Set(",;?*|\\".utf8)
        var (values, next) = ([UInt8](), UInt8(0))
        for character in first...UInt8(ascii: "~") {
            values.append(next)
            if !separators.contains(character) { next += 1 }
        }
        return values
    }()

    static func value(of byte: UInt8) -> Int { Int(values[Int(byte - first)]) }

    /// The numbers of two digits each.
    static func values(of digits: some Collection<UInt8>) -> [Int] {
        let digits = Array(digits)
        return stride(from: 0, to: digits.count - 1, by: 2).map { value(of: digits[$0..<$0 + 2]) }
    }

    static func value(of digits: some Collection<UInt8>) -> Int { digits.reduce(0) { $0 * count + value(of: $1) } }
}
