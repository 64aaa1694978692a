import Foundation
import Testing
import WorkflowData

@Suite struct `YAML` {
    @Test(arguments: [
        ("a: 1", #"{"a":1}"#),
        ("- a\n- - b\n  - c\n-\n  d: e\n  f:\n", #"["a",["b","c"],{"d":"e","f":null}]"#),
        ("a:\n- 1\n- 2\nb: 3", #"{"a":[1,2],"b":3}"#),
        ("{a: 1, b: [x, 'y', \"z\"], c: , d}", #"{"a":1,"b":["x","y","z"],"c":null,"d":null}"#),
        ("[a: b, ? c : d, e, {f: g}, \"h\":i]", #"[{"a":"b"},{"c":"d"},"e",{"f":"g"},{"h":"i"}]"#),
        ("? a\n: b\n? c\n", #"{"a":"b","c":null}"#),
        ("? - 1\n", "error"),
        (": x", #"{"":"x"}"#),
        ("a: b c\n  d\n\n  e", #"{"a":"b c d\ne"}"#),
        ("a: 'it''s\n  here\n\n  now'", #"{"a":"it's here\nnow"}"#),
        ("\"a\\\n  b \\  \n c\\x41\\u00e9\\ud83d\\ude00\"", #""ab   cAé😀""#),
        ("a: |\n  x\n   y\n\n  z\n\n", #"{"a":"x\n y\n\nz\n"}"#),
        ("a: |+\n  x\n\nb: |-\n  y\n\n", #"{"a":"x\n\n","b":"y"}"#),
        ("a: >\n  x\n  y\n\n  z\n   more\n  end\n", #"{"a":"x y\nz\n more\nend\n"}"#),
        ("a: |2\n   x\n", #"{"a":" x\n"}"#),
        ("- |\n x\n- >-\n y", #"["x\n","y"]"#),
        ("a: &x [1, 2]\nb: *x", #"{"a":[1,2],"b":[1,2]}"#),
        ("a: &x {p: 1, q: 2}\nb:\n  <<: *x\n  q: 3", #"{"a":{"p":1,"q":2},"b":{"q":3,"p":1}}"#),
        ("a: &x {p: 1}\nb: &y {p: 2, r: 4}\nc: {<<: [*x, *y]}", #"{"a":{"p":1},"b":{"p":2,"r":4},"c":{"p":1,"r":4}}"#),
        ("%YAML 1.2\n---\na: !!str 1\nb: !!int \"2\"\nc: ! 3\n...\n", #"{"a":"1","b":2,"c":"3"}"#),
        ("%TAG !y! tag:yaml.org,2002:\n--- !y!str 1", #""1""#),
        (
            "[0o17, 0xFF, 1_000, 012, +1, -.5, 1., 1e3, .inf, ~, Null, yes, on, True]",
            #"[15,255,"1_000",12,1,-0.5,1,1E+3,1.7976931348623157e+308,null,null,"yes","on",true]"#
        ),
        ("[-0, +0, 0, -00, -0.0, -1]", "[-0,0,0,-0,-0.0,-1]"),
        ("\"  \n  b\"", #"" b""#), ("[-a, ?b, :c]", #"["-a","?b",":c"]"#), ("[-]", "error"), ("[-, a]", "error"),
        ("2001-01-01", #""2001-01-01""#),
        ("200: ok\ntrue: x", #"{"200":"ok","true":"x"}"#),
        ("# only\na: b # c\n# d\n", #"{"a":"b"}"#),
        ("a: b#c", #"{"a":"b#c"}"#),
        ("url: http://x.com:80/a?b", #"{"url":"http://x.com:80/a?b"}"#),
        ("--- text\n", #""text""#),
        ("--- |\n a\n", #""a\n""#),
        ("&m\n&k a: b\n", #"{"a":"b"}"#),
        ("&a k: *a", #"{"k":"k"}"#),
        ("a:\n  !!seq\n  - 1", #"{"a":[1]}"#),
        ("a: [\n  1,\n  2,\n]\n", #"{"a":[1,2]}"#),
        ("{\n\t\"a\": 1,\n\t\"b\": [\n\t\ttrue\n\t]\n}", #"{"a":1,"b":[true]}"#),
        ("a:\r\n  - b\r\n  - |\r\n    c\r\n    d\r\n", #"{"a":["b","c\nd\n"]}"#),
        ("a: b\r\n  c\r\n\r\n  d\r\n", #"{"a":"b c\nd"}"#),
        ("0o2000000000000000000000", "18446744073709552000"), ("0o20000000000000000000000", "147573952589676410000"),
        ("0x10000000000000000", "18446744073709552000"), ("0x100000000000000000", "295147905179352830000"),
        ("a: ${ .b | {c:1} }", #"{"a":"${ .b | {c:1} }"}"#),
        ("- - - x", #"[[["x"]]]"#),
        ("- a: 1\n  b: 2\n- c", #"[{"a":1,"b":2},"c"]"#),
        ("a: -1\nb: - 1", "error"),
        ("a: 'x'   # c", #"{"a":"x"}"#),
    ])
    func `is read as its specification has it`(_ text: String, _ json: String) throws {
        if json == "error" {
            #expect(throws: ReadingError.self) { try Document(text: text, name: "a.yaml") }
        } else {
            #expect(try Document(text: text, name: "a.yaml").value.json() == json)
        }
    }

    @Test(arguments: [
        ("a: 1\n\tb: 2", "2:1", "tab-indentation"), ("a:\n\tb: 2", "2:1", "tab-indentation"),
        ("a:\n    b: 1\n  c: 2", "3:3", "indentation"), ("a: 1\n b: 2", "2:3", "unexpected-text"),
        ("a: 1\nb: 2\na: 3", "3:1", "duplicate-key"), ("a: 'x\nb: 1", "1:4", "unclosed-quote"),
        ("a: \"x", "1:4", "unclosed-quote"), ("a: [1, 2\nb: 3", "2:1", "indentation"),
        ("a: [1, 2", "1:4", "unclosed-bracket"),
        ("a: {b: 1]", "1:9", "unclosed-bracket"), ("a: b: c", "1:5", "unexpected-text"),
        ("a: *x", "1:4", "unknown-alias"),
        ("a: !foo b", "1:4", "unknown-tag"), ("a: !!int b", "1:4", "tag-mismatch"),
        ("a: 1\n---\nb: 2", "2:1", "several-documents"),
        ("", "1:1", "empty-file"), ("# x\n", "2:1", "empty-file"), ("a: @x", "1:4", "unexpected-text"),
        ("a: \"\\q\"", "1:5", "unknown-escape"), ("a: 'b' c", "1:8", "unexpected-text"),
        ("a:b\nc: d", "1:2", "missing-colon"),
        ("a: 1\nb\nc: 2", "2:1", "missing-colon"), ("a: 1\nb:2\nc: 2", "2:2", "missing-colon"),
        ("- a\nb: c", "2:1", "indentation"),
        ("a: |x\n b", "1:5", "unexpected-text"), ("a: \u{7}", "1:4", "control-character"),
        ("a: 1\n- b", "2:1", "indentation"),
        ("a: &x [*x]", "1:8", "unknown-alias"), ("<<: 1", "1:1", "merge-key"), ("? {a: b}\n: c", "1:3", "key-type"),
        ("%YAML 2.0\n---\na", "1:1", "directive"), ("a: ]", "1:4", "unexpected-text"),
        ("[1,,2]", "1:4", "unexpected-text"),
    ])
    func `that is wrong is refused with its place`(_ text: String, _ place: String, _ id: String) throws {
        let error = #expect(throws: ReadingError.self) { try Document(text: text, name: "a.yaml") }
        let first = try #require(error?.diagnostics.first)
        let start = try #require(first.range?.start)
        #expect("\(start.line):\(start.column) \(first.id)" == "\(place) \(id)")
    }

    @Test(arguments: ["a:\n\n", "a: # none\n", "a:"])
    func `has the place of an empty value after its key, also at the end of the file`(_ text: String) throws {
        let document = try Document(text: text, name: "a.yaml")
        #expect(document.range(of: JSONPointer(["a"]))?.start == .init(line: 1, column: 3))
    }

    @Test func `reports every key that is given twice`() throws {
        let error = #expect(throws: ReadingError.self) { try Document(text: "a: 1\na: 2\nb: {c: 1, c: 2}", name: "x") }
        #expect(error?.diagnostics.map(\.id) == ["duplicate-key", "duplicate-key"])
        #expect(error?.diagnostics.first?.hint == "it is first given on line 1")
    }

    @Test func `is read from UTF-16 and UTF-32, and with a byte order mark`() throws {
        let text = "a: é😀"
        for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32BigEndian, .utf8] {
            let data = try #require(text.data(using: encoding))
            #expect(try Document(data: data, name: "x").value == ["a": "é😀"], "\(encoding)")
        }
        let document = try Document(text: "\u{FEFF}a: b", name: "x")
        #expect(document.range(of: JSONPointer(["a"]))?.start == .init(line: 1, column: 4))
        #expect(document.line(1) == "a: b")
    }

    @Test(
        arguments: [
            [0x61, 0x3A, 0x20, 0xFF], [0x61, 0xC0, 0x80], [0xED, 0xA0, 0x80], [0x61, 0xE2, 0x82],
            [0xFE, 0xFF, 0xD8, 0x00],
        ] as [[UInt8]])
    func `with bytes that are no text names the offset`(_ bytes: [UInt8]) throws {
        let error = #expect(throws: ReadingError.self) { try Document(data: Data(bytes), name: "x") }
        let first = try #require(error?.diagnostics.first)
        #expect(first.id == "encoding")
        #expect(first.message.contains("offset"))
    }

    @Test func `takes control characters that JSON takes, in quotes only`() throws {
        #expect(try Document(text: "a: \"\u{7F}\"\nb: '\u{81}'", name: "x").value == ["a": "\u{7F}", "b": "\u{81}"])
        let error = #expect(throws: ReadingError.self) { try Document(text: "a: \"\u{7F}\"\nb: \u{81}", name: "x") }
        #expect(error?.diagnostics.first?.range?.start == .init(line: 2, column: 4))
    }

    @Test func `gathers a hundred findings at most`() throws {
        let error = #expect(throws: ReadingError.self) {
            try Document(text: "[" + String(repeating: "*a, ", count: 10_000) + "]", name: "x")
        }
        #expect(error?.diagnostics.count == 100)
    }

    @Test func `has limits that hold`() throws {
        func id(_ text: String) -> String? {
            do {
                _ = try Document(text: text, name: "x")
                return nil
            } catch { return error.diagnostics.last?.id }
        }
        #expect(id(String(repeating: "[", count: 500) + String(repeating: "]", count: 500)) == nil)
        #expect(id(String(repeating: "[", count: 501) + String(repeating: "]", count: 501)) == "too-deep")
        #expect(id(String(repeating: "- ", count: 1_000_000)) == "too-deep")
        #expect(id(String(repeating: "? ", count: 100_000)) == "too-deep")
        #expect(id("a: " + String(repeating: "x", count: 10_000_000)) == "too-large")
        var laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1..<10 {
            let alias = String(repeating: "*a\(level - 1),", count: 10)
            laughs += "a\(level): &a\(level) [\(alias)]\n"
        }
        #expect(id(laughs) == "alias-expansion")
        var deep = "a0: &a0 [x]\n"
        for level in 1..<130 { deep += "a\(level): &a\(level) [[[[*a\(level - 1)]]]]\n" }
        #expect(id(deep) == "too-deep")
    }

    @Test(arguments: [
        ("a: &x\n  !!map\n  b: 1\nc: *x", "{\"a\":{\"b\":1},\"c\":{\"b\":1}}"),
        ("a: !!str\n  &x # anchored\n  5\nc: *x", "{\"a\":\"5\",\"c\":\"5\"}"),
        ("- &x\n  !!str\n- *x", "[\"\",\"\"]"), ("a: &x\n  &y b: 1", "{\"a\":{\"b\":1}}"),
        ("- |+\n   ", "[\"\\n\"]"), ("- |\n  a\n ", "[\"a\\n\"]"), ("- |+\n  a\n\n ", "[\"a\\n\\n\\n\"]"),
    ])
    func `tag and anchor may be on lines of their own, and the last line needs no end`(
        text: String, json: String
    ) throws {
        #expect(try Document(text: text, name: "x").value.json() == json)
    }

    @Test(arguments: [
        "a: &x\n  &y\n  1", "a: !!str\n  !!str\n  1", "%YAML 1.2\n%YAML 1.2\n---\n1", "%YAML x 1.1\n---\n1",
    ])
    func `two anchors, two tags and two versions are errors`(text: String) {
        #expect(throws: ReadingError.self) { try Document(text: text, name: "x") }
    }

    @Test(arguments: [
        ("%YAML 1.1 1.2\n---\n1", "only the first version counts"),
        ("%YAML 1.3\n---\n1", "YAML 1.3 is read as YAML 1.2"), ("%YAML 1.1 # 1.3\n---\n1", nil),
        ("%YAML 1.2\n---\n1", nil),
    ])
    func `a version that is unusual is a warning`(text: String, warning: String?) throws {
        let document = try Document(text: text, name: "x")
        #expect(document.value == 1)
        #expect(document.warnings.map(\.message) == [warning].compactMap(\.self))
        #expect(document.warnings.allSatisfy { $0.severity == .warning && $0.range?.start.line == 1 })
    }
}
