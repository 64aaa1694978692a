struct SourceText: Sendable {
    /// Ends in a zero byte, which valid text cannot contain, so readers may always look one byte ahead.
    let bytes: [UInt8]
    private let lineStarts: [UInt32]
    /// The number of characters before each block of bytes, for fast columns in very long lines.
    private let characters: [UInt32]

    private static let block = 1024
    private static let shownLength = 10_000

    var count: Int { bytes.count - 1 }

    /// The text must be UTF-8.
    init(_ text: [UInt8]) {
        var starts: [UInt32] = [0]
        var bytes = text
        bytes.append(0)
        var counts: [UInt32] = []
        var count: UInt32 = 0
        for offset in 0..<text.count {
            if offset.isMultiple(of: Self.block) { counts.append(count) }
            if !bytes[offset].isUTF8Continuation { count += 1 }
            switch bytes[offset] {
            case UInt8(ascii: "\n"): starts.append(UInt32(offset + 1))
            case UInt8(ascii: "\r") where bytes[offset + 1] != UInt8(ascii: "\n"): starts.append(UInt32(offset + 1))
            default: break
            }
        }
        self.bytes = bytes
        lineStarts = starts
        characters = counts + [count]
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
        var column = 1 + charactersBefore(offset) - charactersBefore(Int(lineStarts[low]))
        // A byte order mark is not a character of the first line.
        if low == 0, offset >= 3, bytes.starts(with: UTF8Text.byteOrderMark) { column -= 1 }
        return SourceRange.Position(line: low + 1, column: column)
    }

    private func charactersBefore(_ offset: Int) -> Int {
        let block = offset / Self.block
        return Int(characters[block]) + bytes[(block * Self.block)..<offset].count { !$0.isUTF8Continuation }
    }

    func range(from start: Int, to end: Int) -> SourceRange {
        SourceRange(start: position(at: start), end: position(at: max(start, end)))
    }

    /// A line's text without its line break; invalid bytes show as U+FFFD.
    func line(_ number: Int) -> String? {
        guard number >= 1, number <= lineStarts.count else { return nil }
        var start = Int(lineStarts[number - 1])
        var end = number < lineStarts.count ? Int(lineStarts[number]) : count
        while end > start, bytes[end - 1] == UInt8(ascii: "\n") || bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        if start == 0, bytes.starts(with: UTF8Text.byteOrderMark) { start = min(3, end) }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    /// For display with a diagnostic; nil if the line is too long.
    func shownLine(_ number: Int) -> String? {
        guard number >= 1, number <= lineStarts.count else { return nil }
        let end = number < lineStarts.count ? Int(lineStarts[number]) : count
        return end - Int(lineStarts[number - 1]) <= Self.shownLength ? line(number) : nil
    }

    func diagnostic(
        _ severity: Diagnostic.Severity = .error, id: String, _ message: String, hint: String? = nil, file: String?,
        from start: Int, to end: Int
    ) -> Diagnostic {
        let range = range(from: start, to: end)
        return Diagnostic(
            severity, id: id, message, hint: hint, file: file, range: range, sourceLine: shownLine(range.start.line))
    }
}

extension UInt8 {
    var isUTF8Continuation: Bool { self & 0xC0 == 0x80 }
}
