enum UTF8Text {
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    struct Failure: Error {
        let offset: Int
        let message: String
    }

    /// The bytes as UTF-8: UTF-16 and UTF-32 are detected by byte order mark or by the positions of zeros.
    static func decode(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
        let head = bytes.prefix(4) + Array(repeating: 0x20, count: max(0, 4 - bytes.count))
        switch (head[0], head[1], head[2], head[3]) {
        case (0x00, 0x00, 0xFE, 0xFF): return try fromUTF32(bytes, bigEndian: true)
        case (0xFF, 0xFE, 0x00, 0x00): return try fromUTF32(bytes, bigEndian: false)
        case (0x00, 0x00, 0x00, _) where bytes.count >= 4: return try fromUTF32(bytes, bigEndian: true)
        case (_, 0x00, 0x00, 0x00) where bytes.count >= 4: return try fromUTF32(bytes, bigEndian: false)
        case (0xFE, 0xFF, _, _): return try fromUTF16(bytes, bigEndian: true)
        case (0xFF, 0xFE, _, _): return try fromUTF16(bytes, bigEndian: false)
        case (0x00, 0x01..., _, _) where bytes.count >= 2: return try fromUTF16(bytes, bigEndian: true)
        case (0x01..., 0x00, _, _) where bytes.count >= 2: return try fromUTF16(bytes, bigEndian: false)
        default:
            if let offset = firstInvalid(in: bytes) {
                let byte = String(bytes[offset], radix: 16, uppercase: true)
                throw Failure(offset: offset, message: "the byte 0x\(byte) at offset \(offset) is not UTF-8 text")
            }
            return bytes
        }
    }

    /// The first byte that is not part of a well-formed character (Unicode, table 3-7).
    static func firstInvalid(in bytes: [UInt8]) -> Int? { firstInvalid(in: bytes, from: 0, to: bytes.count) }

    static func firstInvalid(in bytes: [UInt8], from start: Int, to end: Int) -> Int? {
        var offset = start
        while offset < end {
            let first = bytes[offset]
            guard first >= 0x80 else {
                offset += 1
                continue
            }
            let length: Int
            var second: ClosedRange<UInt8> = 0x80...0xBF
            switch first {
            case 0xC2...0xDF: length = 2
            case 0xE0: (length, second) = (3, 0xA0...0xBF)
            case 0xED: (length, second) = (3, 0x80...0x9F)
            case 0xE1...0xEF: length = 3
            case 0xF0: (length, second) = (4, 0x90...0xBF)
            case 0xF4: (length, second) = (4, 0x80...0x8F)
            case 0xF1...0xF3: length = 4
            default: return offset
            }
            guard offset + length <= end, second.contains(bytes[offset + 1]),
                length < 3 || bytes[offset + 2].isUTF8Continuation, length < 4 || bytes[offset + 3].isUTF8Continuation
            else { return offset }
            offset += length
        }
        return nil
    }

    private static func fromUTF16(_ bytes: [UInt8], bigEndian: Bool) throws(Failure) -> [UInt8] {
        guard bytes.count.isMultiple(of: 2) else {
            throw Failure(offset: bytes.count - 1, message: "the UTF-16 text ends in the middle of a character")
        }
        func unit(at offset: Int) -> UInt32 {
            let (high, low) = bigEndian ? (bytes[offset], bytes[offset + 1]) : (bytes[offset + 1], bytes[offset])
            return UInt32(high) << 8 | UInt32(low)
        }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var offset = 0
        while offset < bytes.count {
            var code = unit(at: offset)
            let start = offset
            offset += 2
            if 0xD800...0xDBFF ~= code, offset < bytes.count, 0xDC00...0xDFFF ~= unit(at: offset) {
                code = 0x10000 + (code - 0xD800) << 10 + (unit(at: offset) - 0xDC00)
                offset += 2
            }
            try append(code, from: start, to: &text)
        }
        return text
    }

    private static func fromUTF32(_ bytes: [UInt8], bigEndian: Bool) throws(Failure) -> [UInt8] {
        guard bytes.count.isMultiple(of: 4) else {
            throw Failure(offset: bytes.count & ~3, message: "the UTF-32 text ends in the middle of a character")
        }
        var text: [UInt8] = []
        for offset in stride(from: 0, to: bytes.count, by: 4) {
            let unit = bytes[offset..<(offset + 4)]
            let code = (bigEndian ? Array(unit) : unit.reversed()).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            try append(code, from: offset, to: &text)
        }
        return text
    }

    private static func append(_ code: UInt32, from offset: Int, to text: inout [UInt8]) throws(Failure) {
        guard let scalar = Unicode.Scalar(code) else {
            let unit = String(code, radix: 16, uppercase: true)
            throw Failure(offset: offset, message: "0x\(unit) at byte offset \(offset) is not a Unicode character")
        }
        text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.EncodedScalar())
    }
}

/// Turns UTF-16 with a byte order mark into UTF-8, piece by piece.
struct UTF16Conversion: Sendable {
    private let isBigEndian: Bool
    /// The beginning of a character.
    private var rest: [UInt8] = []

    /// Nil unless the text begins with the mark.
    init?(markedBy beginning: [UInt8]) {
        guard beginning.starts(with: [0xFE, 0xFF]) || beginning.starts(with: [0xFF, 0xFE]) else { return nil }
        isBigEndian = beginning[0] == 0xFE
    }

    /// - Returns: The characters that the piece completes. A byte that UTF-8 does not have ends them at a mistake.
    mutating func text(of piece: [UInt8], isLast: Bool) -> [UInt8] {
        rest += piece
        var units = stride(from: 0, to: rest.count - 1, by: 2).map { offset -> UInt16 in
            let first = UInt16(rest[offset])
            let second = UInt16(rest[offset + 1])
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        if !isLast, let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
        rest.removeFirst(2 * units.count)
        var text: [UInt8] = []
        text.reserveCapacity(units.count)
        let isWrong = transcode(
            units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: true, into: { text.append($0) })
        if isWrong || isLast && !rest.isEmpty { text.append(0xFF) }
        return text
    }
}
