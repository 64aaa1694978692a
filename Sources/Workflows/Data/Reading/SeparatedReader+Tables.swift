extension SeparatedReader {
    /// The character between two fields.
    package struct Separator: Sendable, Hashable {
        package let text: String
        let byte: UInt8

        package static let comma = Separator(text: ",", byte: 0x2C)
        package static let tab = Separator(text: "\t", byte: 0x09)
        private static let semicolon = Separator(text: ";", byte: 0x3B)
        private static let bar = Separator(text: "|", byte: 0x7C)

        /// Those that a first row can have without saying so.
        static let usual = [comma, semicolon, tab]
        /// Those that are found by the names of columns.
        fileprivate static let findable = usual + [bar]

        private init(text: String, byte: UInt8) {
            self.text = text
            self.byte = byte
        }

        /// A sign of ASCII or a tab, also as `tab` or `\t`; nil for what can be a part of a word or of a quote.
        package init?(_ text: String) {
            let text = ["tab", "\\t"].contains(text.lowercased()) ? "\t" : text
            guard let byte = text.utf8.first, text.utf8.count == 1, text != "\"", let sign = text.first,
                sign == "\t" || sign.isPunctuation || sign.isSymbol
            else { return nil }
            self.init(text: text, byte: byte)
        }

        /// In words for messages.
        var word: String {
            switch self {
            case .comma: "comma"
            case .tab: "tab"
            case .semicolon: "semicolon"
            default: "'\(text)'"
            }
        }

        var words: String { Self.usual.contains(self) ? word + "s" : word }
    }

    /// What becomes of rows that have no text.
    enum EmptyRows {
        case kept, skipped
        /// Kept if they have as many fields as the first row.
        case keptIfWhole
    }

    /// Reads the names of the columns of a table that any program wrote.
    ///
    /// Lines before them such as `sep=;` and `#TYPE …` are skipped, and so are rows without text that have another length
    /// than the first row.
    /// - Parameters:
    ///   - name: The file's name in diagnostics.
    ///   - given: The separator that the user gave; nil to find it.
    ///   - usual: The separator that the file's name stands for.
    ///   - isColumn: Whether a column of this name is expected.
    /// - Throws: ``ReadingError`` with all mistakes in the names, or if there can be two separators.
    package init(
        table name: String, separator given: Separator?, usual: Separator, isColumn: (String) -> Bool,
        _ load: @escaping TextWindow.Load
    ) throws(ReadingError) {
        try self.init(name: name, separator: usual, load) { reader throws(ReadingError) in
            reader.emptyRows = .keptIfWhole
            let stated = try reader.skipDescription(usual, isColumn)
            if let known = given ?? stated {
                reader.separator = known
            } else if try reader.begin() {
                reader.separator = try reader.foundSeparator(usual, isColumn)
                reader.rewind()
            }
        }
    }

    /// Skips all rows without any text.
    package mutating func skipEmptyRows() { emptyRows = .skipped }

    /// Whether no field of the last row has any text.
    package var isEmptyRow: Bool { fieldCount == fields.count && fields.allSatisfy { text(of: $0).isBlank } }

    // MARK: - Lines before the names

    /// Skips the lines in which programs describe the table.
    /// - Returns: The separator that such a line states.
    private mutating func skipDescription(
        _ usual: Separator, _ isColumn: (String) -> Bool
    ) throws(ReadingError) -> Separator? {
        var stated: Separator?
        while try begin() {
            let line = try firstLine()
            if let separator = Self.separator(statedBy: line) {
                stated = separator
            } else if line.prefix(6).lowercased() != "#type " {
                return stated
            } else if try readings(usual).contains(where: { $0.names.contains(where: isColumn) }) {
                rewind()
                return stated
            }
            rewind()
            try skipLine()
        }
        return stated
    }

    /// The beginning of the line without quotes, which tell nothing here.
    private mutating func firstLine() throws(ReadingError) -> String {
        var end = 0
        while end < 1_000, let byte = try window.byte(at: end), !byte.isBreak { end += 1 }
        return String(decoding: window.bytes(0..<end), as: UTF8.self).filter { $0 != "\"" }
    }

    /// The separator of a line `sep=;`, which spreadsheets read; nil for any other line.
    private static func separator(statedBy line: String) -> Separator? {
        guard line.prefix(4).lowercased() == "sep=" else { return nil }
        let rest = line.dropFirst(4)
        let name = rest.hasPrefix("\\t") ? "\\t" : String(rest.prefix(1))
        let separator = Separator(name)
        // A program that saved the table again has filled the row up.
        let isAlone = rest.dropFirst(name.count).allSatisfy { " ,;\t|".contains($0) || String($0) == name }
        return isAlone ? separator : nil
    }

    // MARK: - The separator

    private struct Reading {
        let separator: Separator
        let names: [String]
    }

    /// What the first row is by each separator that it has, and by the usual one.
    private mutating func readings(_ usual: Separator) throws(ReadingError) -> [Reading] {
        var readings: [Reading] = []
        for separator in [usual] + Separator.findable.filter({ $0 != usual }) {
            guard let names = try texts(separatedBy: separator), separator == usual || names.count > 1 else { continue }
            readings.append(Reading(separator: separator, names: names))
        }
        return readings
    }

    /// The separator by which the first row has most of the expected columns, if no other one is possible.
    private mutating func foundSeparator(
        _ usual: Separator, _ isColumn: (String) -> Bool
    ) throws(ReadingError) -> Separator {
        let readings = try readings(usual)
        var possible: [Separator: Int] = [:]
        for reading in readings where reading.names.contains(where: isColumn) {
            possible[reading.separator] = reading.names.count(where: isColumn)
        }
        guard let most = possible.values.max() else {
            let splitting = readings.filter { $0.names.count > 1 && Separator.usual.contains($0.separator) }
            guard splitting.count > 1, splitting[0].separator != usual else {
                return splitting.first?.separator ?? usual
            }
            throw try unclear(splitting.map(\.separator))
        }
        let best = possible.filter { $0.value == most }.map(\.key)
        // Columns that the usual separator gives are not given up for others.
        guard best.count == 1, best[0] == usual || possible[usual] == nil else {
            throw try unclear(readings.map(\.separator).filter { possible[$0] != nil })
        }
        return best[0]
    }

    private mutating func unclear(_ separators: [Separator]) throws(ReadingError) -> ReadingError {
        rewind()
        try skipLine()
        let words = separators.map(\.words).joined(separator: " or by ")
        let options = separators.map { "--separator \($0 == .tab ? "tab" : "'\($0.text)'")" }
        return ReadingError(diagnostics: [
            finding(
                id: "separator", "the columns may be separated by \(words)",
                hint: "add \(options.joined(separator: " or "))", 0..<row.end)
        ])
    }

    /// The mistake that the only column has other separators in its name; nil if there is none.
    func otherSeparator() -> ReadingError? {
        guard fields.count == 1, !fields[0].isQuoted else { return nil }
        let name = window.bytes(fields[0].places)
        guard let other = Separator.usual.first(where: { name.contains($0.byte) }) else { return nil }
        return ReadingError(diagnostics: [
            finding(
                id: "separator", "the columns are separated by \(other.words) and not by \(separator.words)",
                hint: "save the file with \(separator.words) between the fields", fields[0].places)
        ])
    }

    // MARK: - Mistakes in rows

    func wrongLength() -> ReadingError {
        func counted(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }
        let message =
            "this row has \(counted(fieldCount, "field")), but the first row names "
            + counted(columns.count, "column")
        let isLonger = fieldCount > columns.count
        return ReadingError(diagnostics: [
            finding(
                id: "row-length", message,
                hint: isLonger ? "put a field that contains a \(separator.word) in double quotes" : nil,
                isLonger ? fields[columns.count].places : 0..<row.end)
        ])
    }
}
