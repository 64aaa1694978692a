extension JSONReader {
    mutating func string() throws(Failure) -> String {
        let start = position + 1
        let (end, isASCII) = plainEnd(from: start)
        if end < bytes.count, bytes[end] == UInt8(ascii: "\"") {
            position = end + 1
            return try text(from: start, to: end, isASCII: isASCII)
        }
        return try escapedString(from: start, firstEscape: end)
    }

    /// The next quote, backslash or control character, and whether all bytes before it are ASCII.
    private func plainEnd(from start: Int) -> (end: Int, isASCII: Bool) {
        unsafe bytes.withUnsafeBytes { unsafe Self.plainEnd(of: $0, from: start) }
    }

    @inline(__always)
    static func plainEnd(
        of buffer: UnsafeRawBufferPointer, from start: Int, or other: UInt8 = UInt8(ascii: "\"")
    ) -> (end: Int, isASCII: Bool) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops = ones &* 0x80
        var offset = start
        var union: UInt64 = 0
        // Eight bytes at a time: a byte's top bit is set where one of the differences was zero or less.
        while offset &+ 8 <= buffer.count {
            let word = unsafe buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let (quotes, escapes, others) = (word ^ ones &* 0x22, word ^ ones &* 0x5C, word ^ ones &* UInt64(other))
            let quote = (quotes &- ones) & ~quotes
            let escape = (escapes &- ones) & ~escapes
            let given = (others &- ones) & ~others
            let control = (word &- ones &* 0x20) & ~word
            guard (quote | escape | given | control) & tops == 0 else { break }
            union |= word
            offset = offset &+ 8
        }
        while offset < buffer.count {
            let byte = unsafe buffer[offset]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 || byte == other { break }
            union |= UInt64(byte)
            offset = offset &+ 1
        }
        return (offset, union & tops == 0)
    }

    private func text(from start: Int, to end: Int, isASCII: Bool) throws(Failure) -> String {
        if !isASCII, let invalid = UTF8Text.firstInvalid(in: bytes, from: start, to: end) {
            let byte = String(bytes[invalid], radix: 16, uppercase: true)
            throw Failure(
                id: "encoding", message: "the byte 0x\(byte) at offset \(invalid) is not UTF-8 text", offset: invalid)
        }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    private mutating func escapedString(from start: Int, firstEscape: Int) throws(Failure) -> String {
        var text = try text(from: start, to: firstEscape, isASCII: false)
        position = firstEscape
        while true {
            guard position < bytes.count else {
                throw Failure(id: "json", message: "this string is never closed", offset: start - 1)
            }
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                position += 1
                return text
            }
            guard byte >= 0x20 else {
                let isBreak = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
                throw Failure(
                    id: "json",
                    message: isBreak
                        ? "this string is not closed on its line" : "a control character is not allowed in a string",
                    hint: "write it as an escape sequence, such as \\n", offset: isBreak ? start - 1 : position)
            }
            if byte == UInt8(ascii: "\\") {
                text.unicodeScalars.append(try escape())
                continue
            }
            let run = position
            let (end, isASCII) = plainEnd(from: run)
            position = end
            text += try self.text(from: run, to: end, isASCII: isASCII)
        }
    }

    private mutating func escape() throws(Failure) -> Unicode.Scalar {
        let start = position
        guard position + 1 < bytes.count else {
            throw Failure(id: "json", message: "the data ends inside a string", offset: position)
        }
        let letter = bytes[position + 1]
        position += 2
        switch letter {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try code(from: start)
        default:
            throw Failure(
                id: "json", message: "this is not an escape sequence", hint: "write '\\\\' for a backslash",
                offset: start)
        }
    }

    /// Reads a character escaped by its code, or by a surrogate pair.
    private mutating func code(from start: Int) throws(Failure) -> Unicode.Scalar {
        let high = try hexadecimal(from: start)
        if let scalar = Unicode.Scalar(high) { return scalar }
        guard high < 0xDC00, position + 6 <= bytes.count, bytes[position] == UInt8(ascii: "\\"),
            bytes[position + 1] == UInt8(ascii: "u")
        else { return "\u{FFFD}" }
        let behind = position
        position += 2
        let low = try hexadecimal(from: behind)
        guard 0xDC00...0xDFFF ~= low else {
            position = behind
            return "\u{FFFD}"
        }
        return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
    }

    private mutating func hexadecimal(from start: Int) throws(Failure) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard position < bytes.count, let digit = bytes[position].hexadecimalDigit else {
                throw Failure(id: "json", message: "four hexadecimal digits must follow '\\u'", offset: start)
            }
            code = code << 4 | UInt32(digit)
            position += 1
        }
        return code
    }

    mutating func number() throws(Failure) -> Value {
        let start = position
        let isNegative = bytes[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let first = position
        var magnitude: UInt64 = 0
        var digits = 0
        while let digit = digit {
            // Nineteen digits always fit; longer numbers are parsed again, exactly.
            if digits < 19 { magnitude = magnitude &* 10 &+ UInt64(digit) }
            digits += 1
            position += 1
        }
        guard digits > 0 else { throw invalidNumber(start) }
        guard digits == 1 || bytes[first] != UInt8(ascii: "0") else {
            throw Failure(id: "json", message: "a number must not start with 0", offset: first)
        }
        var isInteger = true
        var decimals = 0
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            isInteger = false
            position += 1
            while let digit = digit {
                if digits < 19 { magnitude = magnitude &* 10 &+ UInt64(digit) }
                digits += 1
                decimals += 1
                position += 1
            }
            guard decimals > 0 else { throw invalidNumber(start) }
        }
        var exponent = 0
        var hasExponent = false
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            hasExponent = true
            exponent = try self.exponent(start)
        }
        if isInteger {
            if digits < 19 || (digits == 19 && magnitude <= UInt64(Int.max)) {
                if magnitude == 0, isNegative { return .double(-0.0) }
                return .integer(isNegative ? -Int(magnitude) : Int(magnitude))
            }
            if digits == 19, isNegative, magnitude == UInt64(Int.max) + 1 { return .integer(.min) }
        } else if digits < 19, magnitude <= 1 << 53, abs(exponent - decimals) <= 22 {
            // Both are exact doubles, so the division or product rounds only once.
            let scale = Self.powersOfTen[abs(exponent - decimals)]
            let double = exponent < decimals ? Double(magnitude) / scale : Double(magnitude) * scale
            let value = isNegative ? -double : double
            // Most numbers are written like their doubles; this detects them without comparing digits.
            let isPlain =
                !hasExponent && digits <= 15 && bytes[position - 1] != UInt8(ascii: "0")
                && (bytes[first] != UInt8(ascii: "0") || decimals < 4 || magnitude >= Self.integersOfTen[decimals - 4])
            return isPlain ? .double(value) : Value(value, written: bytes[start..<position])
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        return Value(Double(text) ?? .nan, written: bytes[start..<position])
    }

    private static let integersOfTen: [UInt64] = (0...15).map { (0..<$0).reduce(1) { power, _ in power * 10 } }
    private static let powersOfTen: [Double] = (0...22).map { Double("1e\($0)") ?? .nan }

    private var digit: UInt8? {
        position < bytes.count ? bytes[position].decimalDigit : nil
    }

    private mutating func exponent(_ start: Int) throws(Failure) -> Int {
        position += 1
        var isNegative = false
        if position < bytes.count,
            bytes[position] == UInt8(ascii: "-") || bytes[position] == UInt8(ascii: "+")
        {
            isNegative = bytes[position] == UInt8(ascii: "-")
            position += 1
        }
        var exponent = 0
        var digits = 0
        while let digit = digit {
            exponent = min(exponent * 10 + Int(digit), 1_000_000)
            digits += 1
            position += 1
        }
        guard digits > 0 else { throw invalidNumber(start) }
        return isNegative ? -exponent : exponent
    }

    private func invalidNumber(_ start: Int) -> Failure {
        Failure(id: "json", message: "expected a digit", offset: position)
    }
}
