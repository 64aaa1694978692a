/// Reads separated values (RFC 4180) row by row, in one pass and with the memory of one row.
///
/// The first row names the columns. Lines end with CR LF, LF or CR; empty lines are skipped. It throws for a row with
/// an error, and the next call continues after it.
package struct SeparatedReader: Sendable {
    struct Field {
        let places: Range<Int>
        let isQuoted: Bool
        fileprivate var isDoubled = false

        fileprivate var inside: Range<Int> { isQuoted ? (places.lowerBound + 1)..<(places.upperBound - 1) : places }
    }

    private struct Fault {
        let id: String
        let message: String
        var hint: String?
    }

    /// Further fields of a row are only counted.
    package static let mostColumns = 10_000

    var separator: Separator
    var window: TextWindow
    private(set) var fields: [Field] = []
    /// The number of the row's fields, including those that are only counted.
    private(set) var fieldCount = 0
    /// The end of the last row read, without and with its line break, and its line.
    private(set) var row = (end: 0, next: 0, line: 1)
    private var isOver = false
    private var template = Object()
    var emptyRows = EmptyRows.kept

    package var columns: [String] { template.keys }

    package var line: Int { window.line }

    /// From 0.
    package func column(named name: String) -> Int? { template.position(of: name) }

    /// Reads the names of the columns.
    /// - Parameters:
    ///   - name: The file's name in diagnostics.
    ///   - load: Loads the file.
    ///   - prepare: Finds out how the file is written.
    /// - Throws: ``ReadingError`` with all mistakes in the names.
    package init(
        name: String, separator: Separator, _ load: @escaping TextWindow.Load,
        prepare: (inout SeparatedReader) throws(ReadingError) -> Void = { _ throws(ReadingError) in }
    ) throws(ReadingError) {
        self.separator = separator
        window = try TextWindow(name: name, load)
        try prepare(&self)
        try readColumns()
    }

    /// The next row, by column names; nil after the last one.
    package mutating func next() throws(ReadingError) -> Object? {
        while try scan() {
            let isWhole = fieldCount == template.count
            if emptyRows == .skipped || emptyRows == .keptIfWhole && !isWhole, isEmptyRow { continue }
            guard isWhole else { throw wrongLength() }
            var index = 0
            return template.mapValues { _ in
                index += 1
                return .string(text(of: fields[index - 1]))
            }
        }
        return nil
    }

    /// A diagnostic about a field of the last row read.
    /// - Parameter column: The field's number, from 0.
    package func diagnostic(id: String, _ message: String, hint: String? = nil, column: Int) -> Diagnostic {
        let places = fields.indices.contains(column) ? fields[column].places : 0..<row.end
        return finding(id: id, message, hint: hint, places)
    }

    /// - Throws: ``ReadingError`` with the errors of all rows, up to a hundred.
    package static func rows(
        of bytes: [UInt8], name: String, separator: Separator
    ) throws(ReadingError) -> [Value] {
        var reader = try SeparatedReader(name: name, separator: separator, TextWindow.whole(bytes))
        return try ReadingError.collecting { () throws(ReadingError) in try reader.next().map(Value.object) }
    }

    // MARK: - Rows

    private mutating func readColumns() throws(ReadingError) {
        guard try scan() else {
            throw ReadingError(diagnostics: [
                finding(id: "no-columns", "the file has no first row with the names of its columns", 0..<0)
            ])
        }
        guard fieldCount <= Self.mostColumns else {
            throw ReadingError(diagnostics: [
                finding(
                    id: "too-many-columns",
                    "the first row names \(fieldCount) columns, and a table has at most \(Self.mostColumns)",
                    fields.last?.places ?? 0..<0)
            ])
        }
        if let mistake = otherSeparator() { throw mistake }
        var findings: [Diagnostic] = []
        for (number, field) in fields.enumerated() {
            let name = text(of: field)
            if name.allSatisfy(\.isWhitespace) {
                findings.append(
                    finding(id: "no-column-name", "column \(number + 1) has no name", field.places))
            } else if let position = template.position(of: name) {
                let shown = PlainText.line(name, limit: 60)
                findings.append(
                    finding(
                        id: "duplicate-column",
                        "column \(number + 1) has the name '\(shown)', which column \(position + 1) has already",
                        field.places))
            }
            // Keeps the column's number, so the others are counted correctly.
            template.append(name, .null)
            // Each diagnostic searches its position in the row.
            guard findings.count < ReadingError.most else { break }
        }
        guard findings.isEmpty else { throw ReadingError(diagnostics: findings) }
    }

    func text(of field: Field) -> String {
        guard field.isDoubled else { return String(decoding: window.bytes(field.inside), as: UTF8.self) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(field.places.count)
        var isFirst = false
        for byte in window.bytes(field.inside) {
            isFirst = byte == Self.quote && !isFirst
            if !isFirst { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    func finding(id: String, _ message: String, hint: String? = nil, _ places: Range<Int>) -> Diagnostic {
        window.diagnostic(id: id, message, hint: hint, places, recordEnd: row.end)
    }

    // MARK: - Bytes

    private static let quote = UInt8(ascii: "\"")

    private mutating func scan() throws(ReadingError) -> Bool {
        guard try begin() else { return false }
        guard let (fault, places) = try scanRow() else { return true }
        try skipLine()
        throw ReadingError(diagnostics: [finding(id: fault.id, fault.message, hint: fault.hint, places)])
    }

    /// Moves to the next line that is not empty.
    mutating func begin() throws(ReadingError) -> Bool {
        guard !isOver else { return false }
        window.begin(at: row.next, line: row.line)
        rewind()
        while let byte = try window.byte(at: 0), byte.isBreak {
            try takeBreak(byte)
            window.begin(at: row.next, line: row.line)
            row.next = 0
        }
        return try window.byte(at: 0) != nil
    }

    /// Moves back to the beginning of the row.
    mutating func rewind() {
        isOver = false
        row = (0, 0, window.line)
        fields.removeAll(keepingCapacity: true)
        fieldCount = 0
    }

    /// The texts of the row that was begun, read with another separator; nil if there is a mistake in it.
    mutating func texts(separatedBy other: Separator) throws(ReadingError) -> [String]? {
        separator = other
        rewind()
        return try scanRow() == nil ? fields.map { text(of: $0) } : nil
    }

    private mutating func scanRow() throws(ReadingError) -> (fault: Fault, places: Range<Int>)? {
        while true {
            let start = row.next
            var union: UInt8 = 0
            var fault = try scanField(&union)
            let places = start..<row.next
            if fault == nil, union >= 0x80, let invalid = window.firstInvalid(in: places) {
                let byte = String(window.bytes(invalid..<(invalid + 1)).first ?? 0, radix: 16, uppercase: true)
                fault = Fault(
                    id: "encoding", message: "the byte 0x\(byte) in this field is not UTF-8 text", hint: Self.asUTF8)
            }
            if let fault { return (fault, places) }
            let byte = try window.byte(at: row.next)
            guard let byte, byte == separator.byte else {
                row.end = row.next
                if let byte { try takeBreak(byte) }
                return nil
            }
            row.next += 1
        }
    }

    /// Reads a field up to the byte after it.
    /// - Parameter union: Receives the bits of all its bytes.
    private mutating func scanField(_ union: inout UInt8) throws(ReadingError) -> Fault? {
        let start = row.next
        if try window.byte(at: start) == Self.quote { return try scanQuoted(&union) }
        while let byte = try window.byte(at: row.next), byte != separator.byte, !byte.isBreak {
            if byte == Self.quote {
                return Fault(
                    id: "quote", message: "this field contains a quote but does not begin with one",
                    hint: "put the field in double quotes, and double each quote inside it")
            }
            if byte == 0 { return Self.zero }
            union |= byte
            row.next += 1
            guard row.next <= TextWindow.largestRecord else { return tooLarge("this row is larger than") }
        }
        take(Field(places: start..<row.next, isQuoted: false))
        return nil
    }

    private mutating func scanQuoted(_ union: inout UInt8) throws(ReadingError) -> Fault? {
        var field = (start: row.next, isDoubled: false)
        row.next += 1
        while let byte = try window.byte(at: row.next) {
            switch byte {
            case Self.quote:
                row.next += 1
                let next = try window.byte(at: row.next)
                guard next == Self.quote else {
                    guard next == nil || next == separator.byte || next?.isBreak == true else {
                        return Fault(
                            id: "quote", message: "this field has text after its closing quote",
                            hint: "double each quote inside a field")
                    }
                    take(Field(places: field.start..<row.next, isQuoted: true, isDoubled: field.isDoubled))
                    return nil
                }
                field.isDoubled = true
                row.next += 1
            case 0: return Self.zero
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): try takeBreak(byte)
            default:
                union |= byte
                row.next += 1
            }
            guard row.next <= TextWindow.largestRecord else {
                return tooLarge("this field's quote is not closed within")
            }
        }
        return Fault(id: "quote", message: "this field's quote is never closed")
    }

    private mutating func take(_ field: Field) {
        fieldCount += 1
        if fieldCount <= Self.mostColumns + 1 { fields.append(field) }
    }

    private static let zero = Fault(
        id: "encoding", message: "this field has the character U+0000, which is not text",
        hint: asUTF8)

    /// Named as Excel names it.
    private static let asUTF8 = "save the file as UTF-8: in Excel, as 'CSV UTF-8 (Comma delimited)'"

    private mutating func tooLarge(_ words: String) -> Fault {
        isOver = true
        return Fault(id: "too-large", message: "\(words) \(TextWindow.largestRecord / 1_000_000) MB")
    }

    private mutating func takeBreak(_ byte: UInt8) throws(ReadingError) {
        row.next += 1
        row.line += 1
        if byte == UInt8(ascii: "\r"), try window.byte(at: row.next) == UInt8(ascii: "\n") { row.next += 1 }
    }

    /// Skips the rest of a line with an error, after which reading continues.
    mutating func skipLine() throws(ReadingError) {
        while !isOver, let byte = try window.byte(at: row.next) {
            guard !byte.isBreak else {
                row.end = row.next
                return try takeBreak(byte)
            }
            row.next += 1
            if row.next > TextWindow.largestRecord { isOver = true }
        }
        row.end = row.next
    }
}
