/// A file's text as UTF-8, and where its lines start.
struct SourceText: Sendable {
    /// The text, closed by a zero byte that no valid text holds, so that a reader may always look one byte ahead.
    let bytes: [UInt8]
    private let lineStarts: [UInt32]

    /// The number of bytes without the closing zero.
    var count: Int { bytes.count - 1 }

    /// Takes over text that is known to be UTF-8.
    init(_ text: [UInt8]) {
        var starts: [UInt32] = [0]
        var bytes = text
        bytes.append(0)
        for offset in 0..<text.count {
            switch bytes[offset] {
            case UInt8(ascii: "\n"): starts.append(UInt32(offset + 1))
            case UInt8(ascii: "\r") where bytes[offset + 1] != UInt8(ascii: "\n"): starts.append(UInt32(offset + 1))
            default: break
            }
        }
        self.bytes = bytes
        lineStarts = starts
    }

    /// The line and column of a byte, or of the end of the text.
    func position(at offset: Int) -> SourceRange.Position {
        let offset = min(max(offset, 0), count)
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        var column = 1
        for byte in bytes[Int(lineStarts[low])..<offset] where !byte.isUTF8Continuation { column += 1 }
        // A byte order mark is no character of the first line.
        if low == 0, offset >= 3, bytes.starts(with: UTF8Text.byteOrderMark) { column -= 1 }
        return SourceRange.Position(line: low + 1, column: column)
    }

    /// The range between two bytes.
    func range(from start: Int, to end: Int) -> SourceRange {
        SourceRange(start: position(at: start), end: position(at: max(start, end)))
    }

    /// A line's text without its break; bytes that are no text show as U+FFFD.
    func line(_ number: Int) -> String? {
        guard number >= 1, number <= lineStarts.count else { return nil }
        var start = Int(lineStarts[number - 1])
        var end = number < lineStarts.count ? Int(lineStarts[number]) : count
        while end > start, bytes[end - 1] == UInt8(ascii: "\n") || bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        if start == 0, bytes.starts(with: UTF8Text.byteOrderMark) { start = min(3, end) }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    /// A finding about the bytes between two offsets.
    func diagnostic(
        _ severity: Diagnostic.Severity = .error, id: String, _ message: String, hint: String? = nil, file: String?,
        from start: Int, to end: Int
    ) -> Diagnostic {
        let range = range(from: start, to: end)
        return Diagnostic(
            severity, id: id, message, hint: hint, file: file, range: range, sourceLine: line(range.start.line))
    }
}

extension UInt8 {
    /// Whether this is the second or a later byte of a character.
    var isUTF8Continuation: Bool { self & 0xC0 == 0x80 }
}
