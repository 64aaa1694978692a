import Essentials

/// Reads JSON Lines: one JSON value per line, in one pass and with the memory of one line.
///
/// Blank lines are skipped. It throws for a line with an error, and the next call continues after it.
package struct JSONLinesReader: Sendable {
    private var window: TextWindow
    private var following = (place: 0, line: 1)
    private var isOver = false
    private var length = 0

    package init(name: String, _ load: @escaping TextWindow.Load) throws(ReadingError) {
        window = try TextWindow(name: name, load)
    }

    package mutating func next() throws(ReadingError) -> Value? {
        while !isOver {
            window.begin(at: following.place, line: following.line)
            length = 0
            var isBlank = true
            while let byte = try window.byte(at: length), byte != UInt8(ascii: "\n") {
                isBlank = isBlank && byte.isBlank
                length += 1
                guard length <= TextWindow.largestRecord else {
                    isOver = true
                    let size = TextWindow.largestRecord / 1_000_000
                    throw ReadingError(diagnostics: [
                        window.diagnostic(
                            id: "too-large", "this line is larger than \(size) MB", 0..<1, recordEnd: length)
                    ])
                }
            }
            isOver = try window.byte(at: length) == nil
            following = (length + 1, following.line + 1)
            if !isBlank { return try value() }
        }
        return nil
    }

    package var line: Int { window.line }

    package func diagnostic(
        id: String, _ message: String, hint: String? = nil, at pointer: JSONPointer = .root,
        part: Document.Part = .value
    ) -> Diagnostic {
        let text = Data(window.bytes(0..<length))
        guard
            var finding = try? Document(data: text, name: window.name)
                .diagnostic(id: id, message, hint: hint, at: pointer, part: part)
        else { return window.diagnostic(id: id, message, hint: hint, 0..<length, recordEnd: length) }
        finding.range?.start.line += line - 1
        finding.range?.end.line += line - 1
        return finding
    }

    /// - Throws: ``ReadingError`` with the errors of all lines, up to a hundred.
    package static func values(of bytes: [UInt8], name: String) throws(ReadingError) -> [Value] {
        var reader = try JSONLinesReader(name: name, TextWindow.whole(bytes))
        return try ReadingError.collecting { () throws(ReadingError) in try reader.next() }
    }

    private func value() throws(ReadingError) -> Value {
        var reader = JSONReader(Array(window.bytes(0..<length)))
        do {
            return try reader.read()
        } catch {
            let place = min(error.offset, length)
            throw ReadingError(diagnostics: [
                window.diagnostic(
                    id: error.id, error.message, hint: error.hint, place..<min(place + 1, length), recordEnd: length)
            ])
        }
    }
}

extension ReadingError {
    static let most = 100

    /// All records, each read by one call of the closure, until it returns nil.
    /// - Throws: The errors of all records, up to a hundred.
    static func collecting(_ next: () throws(ReadingError) -> Value?) throws(ReadingError) -> [Value] {
        var values: [Value] = []
        var findings: [Diagnostic] = []
        while findings.count < most {
            do {
                guard let value = try next() else { break }
                if findings.isEmpty { values.append(value) }
            } catch {
                findings += error.diagnostics
            }
        }
        guard findings.isEmpty else { throw ReadingError(diagnostics: findings) }
        return values
    }
}
