/// A text that an editor has open.
///
/// Positions in it are lines and UTF-16 units, both from 0.
struct EditedText: Sendable {
    let uri: String
    let path: String
    private(set) var version: Int
    private(set) var bytes: [UInt8]
    private var lines: [Int] = []

    /// - Parameter language: What the editor takes it for, which tells the format of a new text without an ending.
    init(_ uri: String, version: Int, _ text: String, language: String? = nil) {
        self.uri = uri
        let path = Self.path(of: uri)
        let isNew = !uri.hasPrefix("file:") && !path.contains(".") && ["yaml", "json"].contains(language)
        self.path = isNew ? "\(path).\(language ?? "")" : path
        self.version = version
        bytes = Array(text.utf8)
        findLines()
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    var lineCount: Int { lines.count }

    /// The path in a URI of a file; any other URI is its own path.
    static func path(of uri: String) -> String {
        guard uri.hasPrefix("file:") else { return "/" + uri }
        let path = uri.dropFirst(uri.hasPrefix("file://") ? 7 : 5)
        return String(path.drop { $0 != "/" }.prefix { $0 != "?" && $0 != "#" }).percentDecoded ?? String(path)
    }

    static func uri(of path: String) -> String { "file://" + path.percentEncoded(keeping: "/") }

    /// The text after an editor's changes, one after the other.
    func changed(by changes: [Value], version: Int) -> EditedText {
        var text = self
        text.version = version
        for change in changes {
            let new = Array((change["text"]?.string ?? "").utf8)
            if let range = change["range"], !range.isNull {
                let start = text.offset(range["start"])
                text.bytes.replaceSubrange(start..<max(start, text.offset(range["end"])), with: new)
            } else {
                text.bytes = new
            }
            text.findLines()
        }
        return text
    }

    private mutating func findLines() {
        lines = [0]
        for (offset, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "\n"): lines.append(offset + 1)
            case UInt8(ascii: "\r") where offset + 1 >= bytes.count || bytes[offset + 1] != UInt8(ascii: "\n"):
                lines.append(offset + 1)
            default: break
            }
        }
    }

    /// The bytes of a line without its break.
    func line(_ number: Int) -> Range<Int> {
        guard lines.indices.contains(number) else { return bytes.count..<bytes.count }
        var end = number + 1 < lines.count ? lines[number + 1] : bytes.count
        while end > lines[number], bytes[end - 1] == UInt8(ascii: "\n") || bytes[end - 1] == UInt8(ascii: "\r") {
            end -= 1
        }
        return lines[number]..<end
    }

    func lineNumber(at offset: Int) -> Int {
        var (low, high) = (0, lines.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lines[middle] <= offset { low = middle } else { high = middle }
        }
        return low
    }

    /// The bytes before a position; a position after the end of a line is its end.
    func offset(_ position: Value?) -> Int {
        let line = line(max(0, position?["line"]?.integer ?? 0))
        return advance(from: line, max(0, position?["character"]?.integer ?? 0)) { $0.utf16.count }
    }

    private func advance(from line: Range<Int>, _ count: Int, _ width: (Unicode.Scalar) -> Int) -> Int {
        var (offset, left) = (line.lowerBound, count)
        for scalar in String(decoding: bytes[line], as: UTF8.self).unicodeScalars {
            left -= width(scalar)
            guard left >= 0 else { break }
            offset += scalar.utf8.count
        }
        return offset
    }

    func position(at offset: Int) -> Value {
        let number = lineNumber(at: min(offset, bytes.count))
        let line = line(number)
        let end = min(max(offset, line.lowerBound), line.upperBound)
        let units = String(decoding: bytes[line.lowerBound..<end], as: UTF8.self).utf16.count
        return ["line": .integer(number), "character": .integer(units)]
    }

    func range(_ bytes: Range<Int>) -> Value {
        ["start": position(at: bytes.lowerBound), "end": position(at: bytes.upperBound)]
    }

    /// The bytes of a range that counts characters from 1.
    func bytes(of range: SourceRange) -> Range<Int> {
        let (start, end) = (offset(range.start), offset(range.end))
        return start..<max(start, end)
    }

    private func offset(_ position: SourceRange.Position) -> Int {
        var line = line(position.line - 1)
        // The mark at the beginning of a file is no character of its first line.
        if line.lowerBound == 0, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { line = 3..<max(3, line.upperBound) }
        return advance(from: line, position.column - 1) { _ in 1 }
    }

    subscript(range: Range<Int>) -> String {
        String(decoding: bytes[range.clamped(to: 0..<bytes.count)], as: UTF8.self)
    }
}
