extension YAMLReader {
    /// Reads a single-quoted scalar whose quote is at the position (section 7.3.2).
    mutating func singleQuoted(parent: Int) throws(ReadingError) -> String {
        let start = position
        position += 1
        scalar.begin()
        var run = position
        while true {
            if isAtEnd { throw unclosedQuote(at: start) }
            if byte == UInt8(ascii: "'") {
                scalar.append(bytes[run..<position])
                guard nextByte == UInt8(ascii: "'") else { break }
                scalar.append(UInt8(ascii: "'"), from: position)
                position += 2
                run = position
            } else if byte.isBreak {
                scalar.append(bytes[run..<position])
                scalar.trimEnd(to: 0)
                try foldQuoted(parent: parent, openedAt: start)
                run = position
            } else {
                position += 1
            }
        }
        position += 1
        return scalar.text
    }

    /// Reads a double-quoted scalar whose quote is at the position (section 7.3.1).
    mutating func doubleQuoted(parent: Int) throws(ReadingError) -> String {
        let start = position
        position += 1
        scalar.begin()
        var run = position
        // White space from an escape is not trimmed before a line break.
        var kept = 0
        while true {
            if isAtEnd { throw unclosedQuote(at: start) }
            switch byte {
            case UInt8(ascii: "\""):
                scalar.append(bytes[run..<position])
                position += 1
                return scalar.text
            case UInt8(ascii: "\\"):
                scalar.append(bytes[run..<position])
                if nextByte.isBreak, position + 1 < count {
                    position += 1
                    try joinLines(parent: parent, openedAt: start)
                } else {
                    try escape(openedAt: start)
                }
                kept = scalar.bytes.count
                run = position
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                scalar.append(bytes[run..<position])
                scalar.trimEnd(to: kept)
                try foldQuoted(parent: parent, openedAt: start)
                kept = scalar.bytes.count
                run = position
            default: position += 1
            }
        }
    }

    private mutating func foldQuoted(parent: Int, openedAt start: Int) throws(ReadingError) {
        fold(upTo: try nextQuotedLine(parent: parent, openedAt: start))
    }

    /// Joins lines at an escaped line break without a space; empty lines between them are kept.
    private mutating func joinLines(parent: Int, openedAt start: Int) throws(ReadingError) {
        let next = try nextQuotedLine(parent: parent, openedAt: start)
        let first = position
        let breaks = takeBreaks(upTo: next)
        scalar.append(UInt8(ascii: "\n"), from: first, times: breaks - 1)
    }

    private func nextQuotedLine(parent: Int, openedAt start: Int) throws(ReadingError) -> Int {
        var offset = position
        var line = position
        while offset < count, bytes[offset].isBlank {
            offset += 1
            if bytes[offset - 1].isBreak { line = offset }
        }
        guard offset < count else { throw unclosedQuote(at: start) }
        if isMarker(at: line) { throw unclosedQuote(at: start) }
        var indent = line
        while bytes[indent] == UInt8(ascii: " ") { indent += 1 }
        guard indent - line > parent else {
            if bytes[indent] == UInt8(ascii: "\t") {
                throw failure("tab-indentation", "a tab cannot indent a line", hint: "indent with spaces", from: indent)
            }
            if !quoteCloses(from: offset, bytes[start]) { throw unclosedQuote(at: start) }
            let first = source.position(at: start).line
            throw failure(
                "indentation", "this line is inside the quotes opened on line \(first), but is not indented enough",
                hint: "indent it by at least \(parent + 1), or close the quotes above", from: offset)
        }
        return offset
    }

    /// Whether the quote closes on this line or one of the next few.
    private func quoteCloses(from offset: Int, _ quote: UInt8) -> Bool {
        bytes[offset...].firstIndex(of: quote) != nil
    }

    private func unclosedQuote(at start: Int) -> ReadingError {
        let quote = Character(Unicode.Scalar(bytes[start]))
        let hint =
            quote == "'"
            ? "put \"'\" after the text; inside single quotes an apostrophe is written twice"
            : "put '\"' after the text; inside double quotes a quote is written as \\\""
        return failure(
            "unclosed-quote", "this \(quote == "'" ? "single" : "double") quote is never closed", hint: hint,
            from: start)
    }

    /// Reads an escape sequence in double quotes (section 5.7).
    private mutating func escape(openedAt start: Int) throws(ReadingError) {
        let offset = position
        guard position + 1 < count else { throw unclosedQuote(at: start) }
        let letter = nextByte
        position += 2
        switch letter {
        case UInt8(ascii: "x"): try code(digits: 2, from: offset)
        case UInt8(ascii: "u"): try code(digits: 4, from: offset)
        case UInt8(ascii: "U"): try code(digits: 8, from: offset)
        default:
            guard let scalar = Self.escapes[letter] else {
                let shown = String(decoding: bytes[offset..<min(count, position)], as: UTF8.self)
                throw failure(
                    "unknown-escape", "'\(shown)' is not an escape sequence",
                    hint: "write '\\\\' for a backslash, or use single quotes", from: offset, to: position)
            }
            self.scalar.append(scalar, from: offset)
        }
    }

    private static let escapes: [UInt8: Unicode.Scalar] = [
        UInt8(ascii: "0"): "\0", UInt8(ascii: "a"): "\u{7}", UInt8(ascii: "b"): "\u{8}", UInt8(ascii: "t"): "\t",
        UInt8(ascii: "\t"): "\t", UInt8(ascii: "n"): "\n", UInt8(ascii: "v"): "\u{B}", UInt8(ascii: "f"): "\u{C}",
        UInt8(ascii: "r"): "\r", UInt8(ascii: "e"): "\u{1B}", UInt8(ascii: " "): " ", UInt8(ascii: "\""): "\"",
        UInt8(ascii: "/"): "/", UInt8(ascii: "\\"): "\\", UInt8(ascii: "N"): "\u{85}", UInt8(ascii: "_"): "\u{A0}",
        UInt8(ascii: "L"): "\u{2028}", UInt8(ascii: "P"): "\u{2029}",
    ]

    /// As in JSON, a surrogate pair makes one character.
    private mutating func code(digits: Int, from offset: Int) throws(ReadingError) {
        var code = try hexadecimal(digits, from: offset)
        if digits == 4, 0xD800...0xDBFF ~= code, byte == UInt8(ascii: "\\"), nextByte == UInt8(ascii: "u") {
            position += 2
            let low = try hexadecimal(4, from: position - 2)
            guard 0xDC00...0xDFFF ~= low else { throw halfCharacter(from: offset) }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw halfCharacter(from: offset) }
        self.scalar.append(scalar, from: offset)
    }

    private func halfCharacter(from offset: Int) -> ReadingError {
        let shown = String(decoding: bytes[offset..<position], as: UTF8.self)
        return failure("unknown-escape", "'\(shown)' is not a Unicode character", from: offset, to: position)
    }

    private mutating func hexadecimal(_ digits: Int, from offset: Int) throws(ReadingError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<digits {
            guard let digit = byte.hexadecimalDigit else {
                throw failure(
                    "unknown-escape", "\(digits) hexadecimal digits must follow here", from: offset, to: position)
            }
            code = code << 4 | UInt32(digit)
            position += 1
        }
        return code
    }
}

extension UInt8 {
    package var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
