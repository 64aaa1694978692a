import Essentials

/// Reads the elements of a JSON array, in one pass and with the memory of one element.
///
/// It throws for an element with an error, and the next call continues after it, unless its end is unclear.
package struct JSONArrayReader: Sendable {
    /// Diagnostics show their line up to this column.
    private static let widest = 1_000

    private var window: TextWindow
    private var isFirst = true
    private var isOver = false
    private var length = 0
    /// The offset of the next unread byte, from the element's beginning.
    private var place = 0
    /// The position of that byte, and of the element's first one.
    private var here = (line: 1, column: 1)
    private var element = (line: 1, column: 1)

    /// - Parameters:
    ///   - name: The file's name in diagnostics.
    ///   - load: Loads the file.
    package init(name: String, _ load: @escaping TextWindow.Load) throws(ReadingError) {
        window = try TextWindow(name: name, load)
    }

    /// Whether the text begins as an array; any other text has no elements.
    package mutating func beginsAnArray() throws(ReadingError) -> Bool {
        try skipBlanks()
        guard try window.byte(at: place) == UInt8(ascii: "[") else { return false }
        advance(over: UInt8(ascii: "["))
        return true
    }

    package mutating func next() throws(ReadingError) -> Value? {
        guard !isOver else { return nil }
        try skipBlanks()
        switch try window.byte(at: place) {
        case UInt8(ascii: "]"):
            advance(over: UInt8(ascii: "]"))
            try skipBlanks()
            isOver = true
            guard try window.byte(at: place) == nil else { throw unexpected("the end of the file after the array") }
            return nil
        case UInt8(ascii: ",") where !isFirst:
            advance(over: UInt8(ascii: ","))
            try skipBlanks()
        case _ where !isFirst: throw unexpected("',' or ']' after an item")
        default: break
        }
        isFirst = false
        begin()
        let isWhole = try findEnd()
        guard length > 0 else { throw unexpected("a value") }
        let value = try value()
        guard isWhole else { throw unexpected("',' or ']' after an item") }
        return value
    }

    package var line: Int { element.line }

    package func diagnostic(
        id: String, _ message: String, hint: String? = nil, at pointer: JSONPointer = .root,
        part: Document.Part = .value
    ) -> Diagnostic {
        let text = Data(window.bytes(0..<length))
        let finding = try? Document(data: text, name: window.name)
            .diagnostic(id: id, message, hint: hint, at: pointer, part: part)
        return finding.map { moved($0, lines: element.line - 1) } ?? self.finding(id, message, hint, 0..<length)
    }

    private mutating func skipBlanks() throws(ReadingError) {
        while let byte = try window.byte(at: place), byte.isBlank {
            advance(over: byte)
            // Finished elements are dropped.
            window.begin(at: place, line: here.line)
            place = 0
        }
    }

    private mutating func advance(over byte: UInt8) {
        place += 1
        if byte == UInt8(ascii: "\n") {
            here = (here.line + 1, 1)
        } else if byte & 0b1100_0000 != 0b1000_0000 {
            here.column += 1
        }
    }

    private mutating func begin() {
        window.begin(at: place, line: here.line)
        (place, length, element) = (0, 0, here)
    }

    /// Moves to the end of the element that begins here, by its brackets and quotes.
    /// - Returns: Whether more text follows.
    private mutating func findEnd() throws(ReadingError) -> Bool {
        var (depth, isInText, isEscaped) = (0, false, false)
        while let byte = try window.byte(at: place) {
            var isEnd = false
            if isInText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInText = false
                    isEnd = depth == 0
                }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInText = true
                case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: "]"), UInt8(ascii: "}"):
                    guard depth > 0 else { return true }
                    depth -= 1
                    isEnd = depth == 0
                case UInt8(ascii: ",") where depth == 0: return true
                case _ where depth == 0 && byte.isBlank: return true
                default: break
                }
            }
            advance(over: byte)
            length = place
            if isEnd { return true }
            guard length <= TextWindow.largestRecord else {
                isOver = true
                let size = TextWindow.largestRecord / 1_000_000
                throw ReadingError(diagnostics: [
                    finding("too-large", "this item is larger than \(size) MB", nil, 0..<1)
                ])
            }
        }
        isOver = true
        return false
    }

    private func value() throws(ReadingError) -> Value {
        var reader = JSONReader(Array(window.bytes(0..<length)))
        do {
            return try reader.read()
        } catch {
            let offset = min(error.offset, length)
            throw ReadingError(diagnostics: [
                finding(error.id, error.message, error.hint, offset..<min(offset + 1, length))
            ])
        }
    }

    /// An error after which the next element's beginning is unclear.
    private mutating func unexpected(_ what: String) -> ReadingError {
        isOver = true
        begin()
        let end = (try? window.byte(at: 0)) == nil ? 0 : 1
        length = end
        return ReadingError(diagnostics: [finding("json", "expected \(what)", nil, 0..<end)])
    }

    private func finding(_ id: String, _ message: String, _ hint: String?, _ places: Range<Int>) -> Diagnostic {
        moved(window.diagnostic(id: id, message, hint: hint, places, recordEnd: length), lines: 0)
    }

    /// The diagnostic at its position in the file: the element need not begin a line.
    private func moved(_ finding: Diagnostic, lines: Int) -> Diagnostic {
        var finding = finding
        finding.range?.start.line += lines
        finding.range?.end.line += lines
        if finding.range?.start.line == element.line {
            finding.range?.start.column += element.column - 1
            // Earlier elements on the line are shown as blanks.
            finding.sourceLine =
                element.column > Self.widest
                ? nil : finding.sourceLine.map { String(repeating: " ", count: element.column - 1) + $0 }
        }
        if finding.range?.end.line == element.line { finding.range?.end.column += element.column - 1 }
        return finding
    }
}
