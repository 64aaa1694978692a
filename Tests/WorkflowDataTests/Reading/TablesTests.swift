import Testing

@testable import WorkflowData

/// Tables as spreadsheets and other programs write them.
@Suite struct `Tables of any program` {
    private static let columns: Set = ["mail", "name", "desk"]

    private func lines(
        _ text: String, _ given: SeparatedReader.Separator? = nil, usual: SeparatedReader.Separator = .comma,
        skippingEmptyRows: Bool = false
    ) -> [String] {
        do {
            var reader = try SeparatedReader(
                table: "t.csv", separator: given, usual: usual, isColumn: Self.columns.contains,
                TextWindow.whole(Array(text.utf8)))
            if skippingEmptyRows { reader.skipEmptyRows() }
            var lines = [reader.columns.joined(separator: "|")]
            while let row = try reader.next() {
                lines.append("\(reader.line): \(row.values.compactMap(\.string).joined(separator: "|"))")
            }
            return lines
        } catch {
            return error.diagnostics.map { "\($0.range?.start.line ?? 0): \($0.message)" }
        }
    }

    @Test(arguments: [
        ("mail,name\na,b\n", "mail|name"), ("mail;name\na;b\n", "mail|name"), ("mail\tname\na\tb\n", "mail|name"),
        ("mail|name\na|b\n", "mail|name"), ("\"mail\";\"name\"\n\"a\";\"b\"\n", "mail|name"),
        ("mail;more, of it\na;b\n", "mail|more, of it"), ("mail,\"name;desk\"\na,b\n", "mail|name;desk"),
        ("mail,name,x;desk\na,b,c\n", "mail|name|x;desk"), ("one;two\na;b\n", "one|two"),
        ("one|two\na|b\n", "one|two"), ("one,two;three\na,b\n", "one|two;three"), ("mail\na\n", "mail"),
        ("\"one;two\"\na\n", "one;two"), ("one\ttwo\na\tb\n", "one|two"),
    ])
    func `the separator is the one that gives the expected columns`(text: String, columns: String) {
        #expect(lines(text).first == columns)
    }

    @Test(arguments: [
        ("mail;name,desk\n", "1: the columns may be separated by commas or by semicolons"),
        ("mail;name;x,desk\n", "1: the columns may be separated by commas or by semicolons"),
        ("mail;name\tdesk\n", "1: the columns may be separated by semicolons or by tabs"),
        ("one;two\tthree\n", "1: the columns may be separated by semicolons or by tabs"),
        ("mail|name;desk\n", "1: the columns may be separated by semicolons or by '|'"),
    ])
    func `a separator is never guessed`(text: String, found: String) {
        #expect(lines(text) == [found])
    }

    @Test func `the given separator counts, also where others give more columns`() {
        #expect(lines("mail;name,desk\na;b,c\n", .comma) == ["mail;name|desk", "2: a;b|c"])
        #expect(lines("mail;name,desk\na;b,c\n", SeparatedReader.Separator(";")) == ["mail|name,desk", "2: a|b,c"])
        #expect(lines("mail^name\na^b\n", SeparatedReader.Separator("^")) == ["mail|name", "2: a|b"])
        #expect(["tab", "TAB", "\\t", "\t"].allSatisfy { SeparatedReader.Separator($0) == .tab })
        #expect(
            ["", "a", "1", "\"", " ", "\n", ",,", "é", "—", "\u{0}"].allSatisfy { SeparatedReader.Separator($0) == nil }
        )
    }

    @Test(arguments: [
        "sep=;", "SEP=;", "\"sep=;\"", "sep=;;;;", "sep=; ,", "\n\nsep=;", "sep=;\r", "sep=\";\"", "\u{FEFF}sep=;",
        "#TYPE System.Management.Automation.PSCustomObject\nsep=;", "sep=;\n#TYPE x",
    ])
    func `a line that states the separator is no row`(line: String) {
        let count = line.split(whereSeparator: \.isNewline).count + (line.hasPrefix("\n") ? 2 : 0)
        #expect(lines(line + "\none;two,3\n1;2\n") == ["one|two,3", "\(count + 2): 1|2"])
    }

    @Test(arguments: [
        ("sep=\\t\none,1\ttwo\n", "one,1|two"), ("sep=\t\none,1\ttwo\n", "one,1|two"),
        ("sep=:\none,1:two\n", "one,1|two"),
        ("sep=|\none|two\n", "one|two"), ("sep=,\nmail,name\n", "mail|name"), ("sep=,,\nmail,name\n", "mail|name"),
        ("sep=\n", "sep="), ("sep=ab\n", "sep=ab"), ("sep=x,mail\n", "sep=x|mail"),
        ("separator;mail\n", "separator|mail"),
    ])
    func `any separator can be stated, and other first columns may begin so`(text: String, columns: String) {
        #expect(lines(text) == [columns])
    }

    @Test(arguments: [
        "#TYPE System.Management.Automation.PSCustomObject",
        "#TYPE Selected.Microsoft.ActiveDirectory.Management.ADUser",
        "\"#TYPE System.IO.FileInfo\"", "#TYPE System.IO.FileInfo,,,", "#type x",
        "#TYPE System.Collections.Generic.KeyValuePair`2[[System.String, mscorlib],[\"x\", y]]",
    ])
    func `the line with a type is no row`(line: String) {
        #expect(lines(line + "\r\n\"mail\",\"name\"\r\n\"a\",\"b\"\r\n") == ["mail|name", "3: a|b"])
        #expect(lines(line + "\r\n\"one\";\"two\"\r\n\"a\";\"b\"\r\n") == ["one|two", "3: a|b"])
    }

    @Test func `a first row with an expected column is no line with a type`() {
        #expect(lines("#TYPE of desk,mail\n1,a\n") == ["#TYPE of desk|mail", "2: 1|a"])
        #expect(lines("#TYPES,mail\n1,a\n") == ["#TYPES|mail", "2: 1|a"])
        #expect(lines("#TYPE x") == ["1: the file has no first row with the names of its columns"])
    }

    @Test func `rows without text are skipped, unless each could be an item`() {
        let text = "mail,name\na,b\n,\n , \u{A0}\n  \n,,\n\"\",\"\"\nc,\n,d\n\u{FEFF},\n,,,,,\n"
        #expect(lines(text, skippingEmptyRows: true) == ["mail|name", "2: a|b", "8: c|", "9: |d"])
        #expect(
            lines(text) == [
                "mail|name", "2: a|b", "3: |", "4:  | \u{A0}", "7: |", "8: c|", "9: |d", "10: \u{FEFF}|",
            ])
        #expect(lines("mail,name\na,b,c\n").last == "2: this row has 3 fields, but the first row names 2 columns")
    }

    @Test(arguments: 1...8) func `a file that fails while its separator is looked for is not read on`(pieces: Int) {
        let text = Array("mail;name\na;b\n".utf8)
        #expect(throws: ReadingError.self) {
            _ = try SeparatedReader(table: "t.csv", separator: nil, usual: .comma, isColumn: { _ in false }) {
                offset throws(ReadingError) in
                guard offset < pieces else { throw ReadingError(diagnostics: [Diagnostic(id: "source", "changed")]) }
                return [text[offset]]
            }
        }
    }
}
