import Testing

@testable import WorkflowData

/// Tables in files, as RFC 4180 describes them.
@Suite struct `Separated values` {
    private func rows(_ text: String, _ separator: SeparatedReader.Separator = .comma) throws -> [Value] {
        try SeparatedReader.rows(of: Array(text.utf8), name: "users.csv", separator: separator)
    }

    @Test(
        arguments: [
            ("a,b\n1,2\n", [["a": "1", "b": "2"]]),
            ("a,b\r\n1,2\r\n3,4", [["a": "1", "b": "2"], ["a": "3", "b": "4"]]),
            ("a,b\r1,2\r", [["a": "1", "b": "2"]]),
            ("\u{FEFF}a,b\n1,2", [["a": "1", "b": "2"]]),
            ("\u{FEFF}\"a\",b\n1,2", [["a": "1", "b": "2"]]),
            ("\n\na,b\n\n\r\n1,2\n\n", [["a": "1", "b": "2"]]),
            ("a,b\n\"x,y\",\"1\n2\r\n3\"\n", [["a": "x,y", "b": "1\n2\r\n3"]]),
            ("a,b\n\"say \"\"hi\"\"\",\"\"\"\"", [["a": "say \"hi\"", "b": "\""]]),
            ("a,b\n,\n\"\",\"\"", [["a": "", "b": ""], ["a": "", "b": ""]]),
            ("a\n\"\"\n\nx", [["a": ""], ["a": "x"]]),
            ("a,b\n x , y ", [["a": " x ", "b": " y "]]),
            ("a,b\n1\t2,é😀", [["a": "1\t2", "b": "é😀"]]),
            ("\"a;b\"\n1;2", [["a;b": "1;2"]]),
            ("a,b", []), ("a,b\n", []),
        ] as [(String, [Value])])
    func `a row is an object of texts`(text: String, expected: [Value]) throws {
        #expect(try rows(text) == expected)
    }

    @Test func `with tabs, commas and quotes are as in commas' files`() throws {
        #expect(try rows("a\tb\n1,5\t\"x\ty\"\n\t\n", .tab) == [["a": "1,5", "b": "x\ty"], ["a": "", "b": ""]])
    }

    @Test(arguments: [true, false], [1, 2, 3, 1000])
    func `UTF-16 with a byte order mark is read as UTF-8 is`(isBigEndian: Bool, size: Int) throws {
        let units = "\u{FEFF}é,b\r\n\"😀\n\",x".utf16
        let bytes = units.flatMap {
            isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)]
        }
        var reader = try SeparatedReader(name: "users.csv", separator: .comma) {
            Array(bytes[min($0, bytes.count)..<min($0 + size, bytes.count)])
        }
        #expect(reader.columns == ["é", "b"])
        #expect(try reader.next() == ["é": "😀\n", "b": "x"])
        #expect(try reader.next() == nil)
    }

    @Test func `a table of many columns has them all, in their order`() throws {
        let names = (1...40).map { "c\($0)" }
        let text = names.joined(separator: ",") + "\n" + names.map { "v" + $0 }.joined(separator: ",")
        let row = try #require(try rows(text).first?.object)
        #expect(row.keys == names)
        #expect(row["c40"] == "vc40")
    }

    /// What is wrong with a table, word for word.
    private static let mistakes: [(text: [UInt8], found: String)] =
        wrongTexts.map { (Array($0.utf8), $1) } + wrongBytes

    private static let wrongTexts: [(String, String)] = [
        ("", "1:1: error: the file has no first row with the names of its columns"),
        ("\n\r\n", "3:1: error: the file has no first row with the names of its columns"),
        ("a,,c\n1,2,3", "1:3: error: column 2 has no name"),
        (",b\n1,2", "1:1: error: column 1 has no name"),
        ("a,b,\n1,2,3", "1:5: error: column 3 has no name"),
        ("a,\"\"\n1,2", "1:3: error: column 2 has no name"),
        ("a, ,c\n1,2,3", "1:3: error: column 2 has no name"),
        ("a,\"\n\"\n1,2", "1:3: error: column 2 has no name"),
        ("a,b,a\n1,2,3", "1:5: error: column 3 has the name 'a', which column 1 has already"),
        ("é,b,\"é\"\n1,2,3", "1:5: error: column 3 has the name 'é', which column 1 has already"),
        (
            "a,a,\n1,2,3",
            "1:3: error: column 2 has the name 'a', which column 1 has already\n1:5: error: column 3 has no name"
        ),
        ("a;b\n1;2", "1:1: error: the columns are separated by semicolons and not by commas"),
        ("a\tb\n1\t2", "1:1: error: the columns are separated by tabs and not by commas"),
        ("sep=;\na;b", "1:1: error: the columns are separated by semicolons and not by commas"),
        ("\"a,b\n1,2", "1:1: error: this field's quote is never closed"),
        ("\"a\"x,b\n1,2", "1:1: error: this field has text after its closing quote"),
        ("a\"x,b\n1,2", "1:1: error: this field contains a quote but does not begin with one"),
        ("a,b\n1", "2:1: error: this row has 1 field, but the first row names 2 columns"),
        ("a,b\n1,2,3", "2:5: error: this row has 3 fields, but the first row names 2 columns"),
        ("a\n1,2", "2:3: error: this row has 2 fields, but the first row names 1 column"),
        ("a,b\n1,2,", "2:5: error: this row has 3 fields, but the first row names 2 columns"),
        ("a,b\n\n\n1\n", "4:1: error: this row has 1 field, but the first row names 2 columns"),
        (
            "a,b\n1\n1,2\n3\n",
            """
            2:1: error: this row has 1 field, but the first row names 2 columns
            4:1: error: this row has 1 field, but the first row names 2 columns
            """
        ),
        ("a,b\n\"1\n2\",é,\"x\n\",4", "3:6: error: this row has 4 fields, but the first row names 2 columns"),
        ("a,b\n  \n", "2:1: error: this row has 1 field, but the first row names 2 columns"),
        ("a,b\n1,\"x\n3,4\n", "2:3: error: this field's quote is never closed"),
        ("a,b\n1,\"", "2:3: error: this field's quote is never closed"),
        (
            "a,b\n1,\"x\"y\n3,4,5\n",
            """
            2:3: error: this field has text after its closing quote
            3:5: error: this row has 3 fields, but the first row names 2 columns
            """
        ),
        ("a,b\né😀,\"x\" \n", "2:4: error: this field has text after its closing quote"),
        ("a,b\r\n\"x\r\ny\",\"z\"\"\"z\r\n", "3:4: error: this field has text after its closing quote"),
        ("a,b\n1, \"x\"\n", "2:3: error: this field contains a quote but does not begin with one"),
        ("a,b\n5'10\",2\n", "2:1: error: this field contains a quote but does not begin with one"),
        ("a,b\n1,x\u{0}\n", "2:3: error: this field has the character U+0000, which is not text"),
        ("a,b\n\"\u{0}\",x\n", "2:1: error: this field has the character U+0000, which is not text"),
    ]

    private static let wrongBytes: [([UInt8], String)] = [
        (
            Array("a,b\n1,M".utf8) + [0xFC] + Array("ller\n1\n".utf8),
            """
            2:3: error: the byte 0xFC in this field is not UTF-8 text
            3:1: error: this row has 1 field, but the first row names 2 columns
            """
        ),
        ([0x61, 0x00], "1:1: error: this field has the character U+0000, which is not text"),
        ([0xFF, 0xFE, 0x00, 0xD8, 0x61, 0x00], "1:1: error: the byte 0xFF in this field is not UTF-8 text"),
        (
            Array("a,b\n1,\"".utf8) + [0xC3] + Array("\"".utf8),
            "2:3: error: the byte 0xC3 in this field is not UTF-8 text"
        ),
    ]

    @Test(arguments: mistakes)
    func `a mistake is said word for word, where the field begins`(text: [UInt8], found: String) throws {
        let error = #expect(throws: ReadingError.self) {
            try SeparatedReader.rows(of: text, name: "users.csv", separator: .comma)
        }
        let lines = (error?.diagnostics ?? []).map { finding -> String in
            var bare = finding
            (bare.hint, bare.sourceLine) = (nil, nil)
            return bare.text()
        }
        let expected = found.split(separator: "\n").map { "users.csv:" + $0 }
        #expect(lines == expected)
    }

    @Test(arguments: [
        (
            "name,mail\nMüller, M.,m@x.com",
            """
            users.csv:2:12: error: this row has 3 fields, but the first row names 2 columns
            Müller, M.,m@x.com
                       ^~~~~~~
            hint: put a field that contains a comma in double quotes
            """
        ),
        (
            "name,note\nA,\"one\ntwo\" three\nB,C",
            """
            users.csv:2:3: error: this field has text after its closing quote
            A,"one
              ^~~~
            hint: double each quote inside a field
            """
        ),
    ])
    func `a finding shows the line on which the field begins`(text: String, shown: String) {
        let error = #expect(throws: ReadingError.self) { try rows(text) }
        #expect(error?.description == shown)
    }

    @Test func `a column that is given with tabs is said in a file of commas and the other way round`() {
        let error = #expect(throws: ReadingError.self) { try rows("a,b\n1,2", .tab) }
        #expect(error?.diagnostics.map(\.message) == ["the columns are separated by commas and not by tabs"])
    }

    @Test func `a hundred errors are enough`() {
        let error = #expect(throws: ReadingError.self) {
            try rows("a,b\n" + String(repeating: "1\n", count: 1000))
        }
        #expect(error?.diagnostics.count == 100)
        #expect(error?.diagnostics.last?.range?.start.line == 101)
    }

    @Test(arguments: [1, 2, 3, 7, 64])
    func `pieces of any size give the same rows and the same places`(size: Int) throws {
        let text = Array("\u{FEFF}né,b\r\n\"x\r\n\"\"y\",\"é\"\r\n\r\n1\r\n2,3\"\r\nlast,\"\"".utf8)
        var found: [[String]] = []
        for size in [size, text.count] {
            var lines: [String] = []
            var reader = try SeparatedReader(name: "users.csv", separator: .comma) { offset in
                Array(text[offset..<min(offset + size, text.count)])
            }
            var isOver = false
            while !isOver {
                do throws(ReadingError) {
                    guard let row = try reader.next() else { isOver = true; continue }
                    let place = reader.diagnostic(id: "x", "x", column: 1).range
                    lines.append("\(Value.object(row).json()) \(String(describing: place))")
                } catch {
                    lines.append(error.description)
                }
            }
            found.append(lines)
        }
        #expect(found[0] == found[1])
        #expect(found[0].count == 4)
        #expect(found[0].first?.hasPrefix(#"{"né":"x\r\n\"y","b":"é"}"#) == true)
    }

    @Test func `a finding about a field of a row is where the field begins`() throws {
        var reader = try SeparatedReader(
            name: "users.csv", separator: .comma, TextWindow.whole(Array("a,b\n\n\"x\ny\",é\nx,y".utf8)))
        #expect(reader.columns == ["a", "b"])
        #expect(try reader.next() == ["a": "x\ny", "b": "é"])
        #expect(
            reader.diagnostic(id: "type", "this is no number", column: 1).text() == """
                users.csv:4:4: error: this is no number
                y",é
                   ^
                """)
        #expect(try reader.next() == ["a": "x", "b": "y"])
        #expect(reader.diagnostic(id: "type", "x", column: 0).range?.start == .init(line: 5, column: 1))
        #expect(try reader.next() == nil)
        #expect(try reader.next() == nil)
    }

    @Test(arguments: [
        ("\"", "2:3: error: this field's quote is not closed within 10 MB"),
        ("", "2:3: error: this row is larger than 10 MB"),
        ("\"\"\"", "2:3: error: this field's quote is not closed within 10 MB"),
    ])
    func `a row that never ends is not kept`(quote: String, found: String) throws {
        let head = Array("a,b\n1,\(quote)".utf8)
        let more = [UInt8](repeating: quote.count == 3 ? UInt8(ascii: "\"") : UInt8(ascii: "x"), count: 100_000)
        var reader = try SeparatedReader(name: "users.csv", separator: .comma) { $0 == 0 ? head : more }
        let error = #expect(throws: ReadingError.self) { try reader.next() }
        #expect(error?.description == "users.csv:" + found)
        #expect(try reader.next() == nil)
    }
}

/// One JSON value a line.
@Suite struct `JSON Lines` {
    @Test(
        arguments: [
            ("{\"a\":1}\n[2]\r\n\n  \n\"x\"", [["a": 1], [2], "x"]), ("", []), ("\n", []), ("\u{FEFF}1\n2\n", [1, 2]),
            ("\t3 \n", [3]),
        ] as [(String, [Value])])
    func `a line is a value`(text: String, expected: [Value]) throws {
        #expect(try JSONLinesReader.values(of: Array(text.utf8), name: "users.jsonl") == expected)
    }

    @Test(arguments: [
        ("{}\n{\"a\":\n1}\n", ["2:6: error: the data ends where a value is expected", "3:2: error: expected the end"]),
        ("1\n\n'x'", ["3:1: error: expected a value"]), ("1 2", ["1:3: error: expected the end"]),
        ("\"é\" x\n", ["1:5: error: expected the end"]),
    ])
    func `an error has its line and column`(text: String, found: [String]) throws {
        let error = #expect(throws: ReadingError.self) {
            try JSONLinesReader.values(of: Array(text.utf8), name: "users.jsonl")
        }
        let lines = (error?.diagnostics ?? []).map { $0.text().prefix { $0 != "\n" } }
        #expect(lines == found.map { "users.jsonl:\($0)" })
    }

    @Test(arguments: [1, 5]) func `pieces of any size give the same values`(size: Int) throws {
        let text = Array("\u{FEFF}{\"é\":1}\r\n\n[2,3]\nx\n4".utf8)
        var reader = try JSONLinesReader(name: "users.jsonl") { Array(text[$0..<min($0 + size, text.count)]) }
        #expect(try reader.next() == ["é": 1])
        #expect(try reader.next() == [2, 3])
        #expect(reader.diagnostic(id: "x", "wrong").range?.start == .init(line: 3, column: 1))
        #expect(throws: ReadingError.self) { try reader.next() }
        #expect(try reader.next() == 4)
        #expect(try reader.next() == nil)
    }

    @Test func `a line that never ends is not kept`() throws {
        let more = [UInt8](repeating: UInt8(ascii: " "), count: 100_000)
        var reader = try JSONLinesReader(name: "users.jsonl") { _ in more }
        let error = #expect(throws: ReadingError.self) { try reader.next() }
        #expect(error?.description == "users.jsonl:1:1: error: this line is larger than 10 MB")
        #expect(try reader.next() == nil)
    }
}
