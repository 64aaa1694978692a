import Foundation
import TestSupport
import Testing

@testable import Workflows

/// What is wrong with the items of a batch, word for word.
struct ItemMistakesTests {
    private let fixture: ItemFixture

    init() throws { fixture = try ItemFixture() }

    private static let asUTF8 = " (save the file as UTF-8: in Excel, as 'CSV UTF-8 (Comma delimited)')"

    /// A table with thirty kinds of mistakes: rows, and what is found in them.
    private static let rows: [(row: String, findings: [String])] = [
        ("right@x.de,Megan,30,1.5,true,[],x,1", []),
        ("a@x.de,Megan,30,1.5,true,[],x", ["3:1: error: this row has 7 fields, but the first row names 8 columns"]),
        (
            "b@x.de,Megan,30,1.5,true,[],x,1,Dr.,2",
            [
                "4:33: error: this row has 10 fields, but the first row names 8 columns"
                    + " (put a field that contains a comma in double quotes)"
            ]
        ),
        ("   ", []),
        (
            "c@x.de,Megan \"Meg\" B,30,1.5,true,[],x,1",
            [
                "6:8: error: this field contains a quote but does not begin with one"
                    + " (put the field in double quotes, and double each quote inside it)"
            ]
        ),
        (
            "d@x.de,\"Megan\" B,30,1.5,true,[],x,1",
            ["7:8: error: this field has text after its closing quote (double each quote inside a field)"]
        ),
        (
            "e@x.de,Me\u{0}gan,30,1.5,true,[],x,1",
            ["8:8: error: this field has the character U+0000, which is not text" + asUTF8]
        ),
        (
            "f@x.de,Me§gan,30,1.5,true,[],x,1",
            ["9:8: error: the byte 0xE4 in this field is not UTF-8 text" + asUTF8]
        ),
        (
            "g@x.de,Megan,thirty,1.5,true,[],x,1",
            ["10:14: error: the input's 'age' must be of type integer, but is 'thirty'"]
        ),
        ("h@x.de,Megan,3.5,1.5,true,[],x,1", ["11:14: error: the input's 'age' must be of type integer, but is '3.5'"]),
        ("i@x.de,Megan,007,1.5,true,[],x,1", ["12:14: error: the input's 'age' must be of type integer, but is '007'"]),
        (
            "j@x.de,Megan,30,\"1,5\",true,[],x,1",
            ["13:17: error: the input's 'rate' must be of type number, but is '1,5'"]
        ),
        (
            "k@x.de,Megan,30,1.5,yes,[],x,1",
            ["14:21: error: the input's 'active' must be of type boolean, but is 'yes'"]
        ),
        ("l@x.de,Megan,30,1.5,TRUE,[],x,1", []),
        ("m@x.de,Megan,30,1.5,true,a;b,x,1", ["16:26: error: the input's 'tags' must be of type array, but is 'a;b'"]),
        (
            "n@x.de,Megan,30,1.5,true,\"[\"\"a\"\",2]\",x,1",
            ["17:26: error: the input's 'tags[1]' must be a string, but is a number"]
        ),
        (
            "o@x.de,Megan,30,1.5,true,[],x,one",
            ["18:31: error: the input's 'level' must be of type integer or null, but is 'one'"]
        ),
        ("megan,Megan,30,1.5,true,[],x,1", ["19:1: error: the input's 'to' must be an e-mail address, but is 'megan'"]),
        (",Megan,30,1.5,true,[],x,1", ["20:1: error: the input's 'to' must be an e-mail address, but is ''"]),
        (
            "p@x.de,Maximilian,30,1.5,true,[],x,1",
            ["21:8: error: the input's 'name' must have at most 5 characters, but has 10"]
        ),
        ("q@x.de,Megan,-1,1.5,true,[],x,1", ["22:14: error: the input's 'age' must be at least 0, but is -1"]),
        ("r@x.de,Megan,,1.5,true,[],x,1", ["23:14: error: the input: the property 'age' is missing"]),
        (
            "s@x.de,Megan,99999999999999999999,1.5,true,[],x,1",
            ["24:14: error: the input's 'age' must be of type integer, but is '99999999999999999999'"]
        ),
        (
            "t@x.de,äöüäöü,x,1.5,true,[],x,1",
            [
                "25:15: error: the input's 'age' must be of type integer, but is 'x'",
                "25:8: error: the input's 'name' must have at most 5 characters, but has 6",
            ]
        ),
        (
            "right@x.de,Megan,31,1.5,true,[],x,1",
            [
                "26:1: error: the key \"right@x.de\" is already used on line 2"
                    + " (give '--key' an expression that tells the items apart, or add '--allow-duplicates')"
            ]
        ),
        (
            "none,Megan,30,1.5,true,[],x,1",
            [
                "27:1: error: the input's 'to' must be an e-mail address, but is 'none'",
                "27:1: error: the key 'if .to == \"none\" then empty elif .to == \"several\" then (1, 2…' gives no value for this item",
            ]
        ),
        (
            "several,Megan,30,1.5,true,[],x,1",
            [
                "28:1: error: the input's 'to' must be an e-mail address, but is 'several'",
                "28:1: error: the key 'if .to == \"none\" then empty elif .to == \"several\" then (1, 2…' gives 2 values for this item",
            ]
        ),
        (
            "error,Megan,30,1.5,true,[],x,1",
            [
                "29:1: error: the input's 'to' must be an e-mail address, but is 'error'",
                "29:1: error: the key 'if .to == \"none\" then empty elif .to == \"several\" then (1, 2…' gives an error for this item: no",
            ]
        ),
        (
            "u@x.de,\"M\ng\",30,1.5,maybe,[],x,1",
            ["31:11: error: the input's 'active' must be of type boolean, but is 'maybe'"]
        ),
        ("v@x.de,=1+1,30,1.5,true,[],@SUM(A1),1", []),
        ("w@x.de,\"Megan", ["33:8: error: this field's quote is never closed"]),
    ]

    @Test func `each of a table's mistakes is reported at its place`() throws {
        let text = "to,name,age,rate,active,tags,note,level\n" + Self.rows.map(\.row).joined(separator: "\n")
        let bytes = Array(text.utf8).split(separator: Array("§".utf8), omittingEmptySubsequences: false)
            .joined(separator: [0xE4])
        let key = """
            if .to == "none" then empty elif .to == "several" then (1, 2) elif .to == "error" then error("no") \
            else .to end
            """
        let fixture = try ItemFixture(ItemFixture.workflow.replacing("required: [to]", with: "required: [to, age]"))
        let findings = try fixture.findings("users.csv", Array(bytes), key: key)
        let expected = Self.rows.flatMap(\.findings).map { "users.csv:" + $0 }
        let found = findings.split(separator: "\n").map(String.init)
        for (expected, found) in zip(expected, found) { #expect(found == expected) }
        #expect(found.count == expected.count)
    }

    @Test(
        arguments: [
            ("a.csv", "", "1:1: error: the file has no first row with the names of its columns"),
            (
                "a.csv", "email,name,age,Rate\na@x.de,Megan,x,1\n",
                """
                1:1: error: there is no column 'to', which the input needs
                1:1: error: the input has no property 'email'
                1:16: error: the input has no property 'Rate' (did you mean 'rate'?)
                2:14: error: the input's 'age' must be of type integer, but is 'x'
                """
            ),
            ("a.csv", "to,to\na,b\n", "1:4: error: column 2 has the name 'to', which column 1 has already"),
            ("a.csv", "to;name\na;b\n", "2:1: error: the input's 'to' must be an e-mail address, but is 'a'"),
            ("a.tsv", "to,name\na,b\n", "2:1: error: the input's 'to' must be an e-mail address, but is 'a'"),
            (
                "a.csv", "to;name,age\na;b,1\n",
                "1:1: error: the columns may be separated by commas or by semicolons (add --separator ',' or --separator ';')"
            ),
            (
                "a.csv", "ot,name\na@x.de,b\n",
                """
                1:1: error: there is no column 'to', which the input needs (did you mean 'to' instead of 'ot'?)
                1:1: error: the input has no property 'ot' (did you mean 'to'?)
                """
            ),
            (
                "a.csv", "\u{A0}To\t,name\na@x.de,b\n",
                """
                1:1: error: there is no column 'to', which the input needs (did you mean 'to' instead of '\u{A0}To'?)
                1:1: error: the input has no property '\u{A0}To' (did you mean 'to'?)
                """
            ),
            (
                "a.jsonl", "{\"to\": \"a@x.de\"}\n{\"to\": \"a@x.de\", \"age\": -1, \"é\": 1}\n{\"to\":\n\n[]\n",
                """
                2:25: error: the input's 'age' must be at least 0, but is -1
                2:29: error: the input: the property 'é' is not known (allowed here: 'active', 'any', 'level', 'name', 'note', 'rate' and 'tags')
                3:7: error: the data ends where a value is expected
                5:1: error: the input must be an object, but is an array
                """
            ),
            (
                "a.jsonl", "{\"to\": \"a@x.de\"}\n\n {\"to\": \"a@x.de\"}",
                "3:2: error: the key {\"to\":\"a@x.de\"} is already used on line 1 (remove one of the two equal items, or add '--allow-duplicates')"
            ),
            ("a.json", "{\"to\": 1}", "1:1: error: the items must be an array, but this is an object"),
            ("a.json", "- to: 1", "1:2: error: expected a digit"),
            (
                "a.json", "[\n  {\"to\": \"a@x.de\", \"name\": \"Megan\"},\n  {\"name\": \"Maximilian\"}, 1]",
                """
                3:3: error: the input: the property 'to' is missing
                3:12: error: the input's 'name' must have at most 5 characters, but has 10
                3:27: error: the input must be an object, but is a number
                """
            ),
            (
                "a.yaml", "- to: a@x.de\n- to: b@x.de\n  age: \"1\"\n  tags: [a, 1]\n- name: x\n- to: a@x.de\n",
                """
                3:8: error: the input's 'age' must be an integer, but is a string
                4:13: error: the input's 'tags[1]' must be a string, but is a number
                5:3: error: the input: the property 'to' is missing
                6:3: error: the key {"to":"a@x.de"} is already used on line 1 (remove one of the two equal items, or add '--allow-duplicates')
                """
            ),
            ("a.yaml", "- a: [", "1:6: error: this '[' is never closed (put ']' after the last entry)"),
            ("a.yaml", "", "1:1: error: the file is empty"),
            ("a.yaml", "to: x", "1:1: error: the items must be an array, but this is an object"),
        ])
    func `the mistakes of every format are reported at their places`(
        name: String, text: String, expected: String
    ) throws {
        let found = try fixture.findings(name, Array(text.utf8)).replacing("\(name):", with: "")
        #expect(found == expected)
    }

    @Test func `a hundred mistakes are shown, and the others counted`() throws {
        let rows = (1...5000).map { "user\($0)@x.de,-\($0)\n" }.joined()
        let findings = try fixture.findings("a.csv", Array("to,age\n\(rows)".utf8)).split(separator: "\n")
        #expect(findings.count == 101)
        #expect(findings[99] == "a.csv:101:14: error: the input's 'age' must be at least 0, but is -100")
        #expect(findings[100] == "a.csv:1:1: error: there are 4900 more findings")
    }

    /// Sources that are made to fill the memory or to never end.
    @Test func `a hostile source ends with a message`() throws {
        let cases: [(name: String, bytes: [UInt8], expected: String)] = [
            (
                "commas.csv", Array(repeating: 0x2C, count: 1_000_000),
                "1:10001: error: the first row names 1000001 columns, and a table has at most 10000"
            ),
            (
                "row.csv", Array("to\n".utf8) + Array(repeating: 0x2C, count: 1_000_000),
                "2:2: error: this row has 1000001 fields, but the first row names 1 column (put a field that contains a comma in double quotes)"
            ),
            (
                "columns.csv", Array((1...10_001).map { "c\($0)" }.joined(separator: ",").utf8),
                "1:58895: error: the first row names 10001 columns, and a table has at most 10000"
            ),
            (
                "utf-16.csv", [0xFF, 0xFE, 0x74, 0x00, 0x6F, 0x00, 0x0A, 0x00],
                ""
            ),
            (
                "returns.csv", Array("to\ra@x.de\rb\r".utf8),
                "3:1: error: the input's 'to' must be an e-mail address, but is 'b'"
            ),
            (
                "zeros.csv", [0, 0, 0],
                "1:1: error: this field has the character U+0000, which is not text" + Self.asUTF8
            ),
            (
                "half.csv", [0xFE, 0xFF, 0x00, 0x74, 0x00, 0x6F, 0x00],
                "1:1: error: the byte 0xFF in this field is not UTF-8 text" + Self.asUTF8
            ),
            ("marks.csv", Array("\u{FEFF}to\n\u{FEFF}a@x.de\n".utf8), ""),
            (
                "escapes.csv", Array("to\n\u{1B}[31m\u{202E}\n".utf8),
                "2:1: error: the input's 'to' must be an e-mail address, but is '\\u001b[31m\\u202e'"
            ),
            ("formulas.csv", Array("to,any\na@x.de,\"=cmd|' /C calc'!A0\"\n".utf8), ""),
            (
                "brackets.jsonl", Array(repeating: 0x5B, count: 100_000),
                "1:10001: error: the data is nested more than 10000 levels deep"
            ),
            (
                "utf-16.jsonl", [0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00],
                "1:1: error: the input: the property 'to' is missing"
            ),
            (
                "zeros.jsonl", Array("{\"to\":\"a\u{0}\"}".utf8),
                "1:9: error: a control character is not allowed in a string (write it as an escape sequence, such as \\n)"
            ),
            (
                "bytes.jsonl", Array("{\"to\":\"a".utf8) + [0xFF] + Array("\"}".utf8),
                "1:9: error: the byte 0xFF at offset 8 is not UTF-8 text"
            ),
            (
                "deep.json", Array(repeating: 0x5B, count: 100_000),
                "1:10002: error: the data is nested more than 10000 levels deep"
            ),
        ]
        for (name, bytes, expected) in cases {
            let found = try fixture.findings(name, bytes).replacing("\(name):", with: "")
            #expect(found == expected, "\(name)")
        }
        let nameless = try fixture.findings("names.csv", Array(repeating: 0x2C, count: 9_999)).split(separator: "\n")
        #expect(nameless.count == 100 && nameless[99] == "names.csv:1:100: error: column 100 has no name")
    }

    @Test func `what is no file is not read`() throws {
        let folder = fixture.folder
        try folder.link("loop.csv", to: "loop.csv")
        try folder.link("zero.csv", to: "/dev/zero")
        try folder.link("gone.csv", to: "nowhere")
        #expect(unsafe mkfifo(fixture.path("pipe.csv"), 0o600) == 0)
        try FileManager.default.createDirectory(atPath: fixture.path("folder.csv"), withIntermediateDirectories: true)
        try folder.write("large.json", Data(repeating: 0x20, count: 10_000_001))
        let names = [
            "loop.csv", "zero.csv", "gone.csv", "pipe.csv", "folder.csv", "missing.csv", "users", "users.txt",
            "users.xlsx", "large.json",
        ]
        let found = names.map { name in
            fixture.findings {
                let source = try ItemSource(fixture.path(name))
                return try BatchItems(source, for: fixture.workflow).check()
            }
        }
        let stdin = "write '-' and give JSON Lines to standard input"
        let nameless =
            "the file's name does not show its format (name it .csv, .tsv, .jsonl, .json or .yaml, or \(stdin))"
        #expect(
            found == [
                "loop.csv:1:1: error: the file cannot be read: Too many levels of symbolic links",
                "zero.csv:1:1: error: the file cannot be read: it is not a file (\(stdin))",
                "gone.csv:1:1: error: there is no such file",
                "pipe.csv:1:1: error: the file cannot be read: it is not a file (\(stdin))",
                "folder.csv:1:1: error: the file cannot be read: it is not a file (\(stdin))",
                "missing.csv:1:1: error: there is no such file", "users:1:1: error: \(nameless)",
                "users.txt:1:1: error: \(nameless)", "users.xlsx:1:1: error: \(nameless)",
                "large.json:1:1: error: the file is larger than 10 MB (only CSV, TSV, JSON Lines and arrays in JSON may "
                    + "be larger)",
            ])
    }
}
