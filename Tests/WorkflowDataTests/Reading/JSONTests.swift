import Foundation
import Testing
import WorkflowData

@Suite struct `JSON data` {
    @Test(
        arguments: [
            ("null", Value.null), ("true", true), (" [1, 2.5, -3e2] ", [1, 2.5, -300]),
            ("9223372036854775807", .integer(.max)),
            ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .double(9223372036854775808)),
            ("1e400", .double(.infinity)), ("{\"a\":{\"b\":[]},\"c\":\"\"}", ["a": ["b": []], "c": ""]),
            ("\"\\u00e9\\ud83d\\ude00\\n\\/\"", "é😀\n/"), ("\"\\ud800x\"", "\u{FFFD}x"), ("\u{FEFF}1", 1),
            ("0.1", 0.1), ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)),
            ("5e-324", .double(.leastNonzeroMagnitude)),
            ("123456789012345678.5", .double(123456789012345678.5)),
        ] as [(String, Value)])
    func `is read as the standard has it`(_ text: String, _ value: Value) throws {
        #expect(try Value(json: text) == value)
    }

    @Test(arguments: [
        ("", "1:1", "the data ends where a value is expected"), ("[1,]", "1:4", "expected a value"),
        ("{\"a\":1,}", "1:8", "expected a name in double quotes"),
        ("[1\n 2]", "2:2", "expected ',' or ']'"),
        ("{'a':1}", "1:2", "expected a name in double quotes"), ("01", "1:1", "a number must not start with 0"),
        ("1.", "1:3", "expected a digit"), ("-", "1:2", "expected a digit"),
        ("+1", "1:1", "expected a value"), (".5", "1:1", "expected a value"),
        ("1 2", "1:3", "expected the end"), ("\"a\nb\"", "1:1", "this string is not closed on its line"),
        ("\"abc", "1:1", "this string is never closed"), ("\"\\x\"", "1:2", "this is not an escape sequence"),
        ("\"\\u12G4\"", "1:2", "four hexadecimal digits must follow '\\u'"), ("nul", "1:1", "expected a value"),
        ("NaN", "1:1", "expected a value"), ("[", "1:2", "the data ends where a value or ']' is expected"),
        ("<html>", "1:1", "expected a value"), ("{\"a\" 1}", "1:6", "expected ':'"),
        ("\"\u{1}\"", "1:2", "a control character is not allowed in a string"),
    ])
    func `that is wrong is refused with its place`(_ text: String, _ place: String, _ message: String) throws {
        let error = #expect(throws: ReadingError.self) { try Value(json: text, name: "a.json") }
        let first = try #require(error?.diagnostics.first)
        #expect(first.text().hasPrefix("a.json:\(place): error: \(message)\n"))
    }

    @Test func `with bytes that are no text names the offset`() throws {
        let error = #expect(throws: ReadingError.self) { try Value(json: Data([0x5B, 0x22, 0x41, 0xFF, 0x22, 0x5D])) }
        #expect(error?.diagnostics.first?.message == "the byte 0xFF at offset 3 is not UTF-8 text")
    }

    @Test func `takes the last of two equal names`() throws {
        #expect(try Value(json: #"{"a":1,"b":2,"a":3}"#) == ["a": 3, "b": 2])
        let many = (0..<50).map { "\"k\($0 % 25)\":\($0)" }.joined(separator: ",")
        let value = try Value(json: "{\(many)}")
        #expect(value.object?.count == 25)
        #expect(value["k24"] == 49)
    }

    @Test func `keeps names apart that only look alike`() throws {
        #expect(try Value(json: "{\"\u{E9}\":1,\"e\u{301}\":2}").object?.count == 2)
    }

    @Test(
        arguments: [
            (Value.double(1), "1"), (.double(-0.0), "-0"), (0.1, "0.1"), (.double(1e17), "1e+17"),
            (.double(1e15), "1000000000000000"), (.double(1e16), "1e+16"),
            (.double(1.5e300), "1.5e+300"), (.double(0.00001), "1e-05"), (.double(0.0001), "0.0001"),
            (.double(.nan), "null"),
            (.double(-.infinity), "-1.7976931348623157e+308"), (.integer(.min), "-9223372036854775808"),
            (.double(1.2345678909876543e22), "12345678909876543000000"),
            ("\u{7F}\u{1}\"\\\n é", "\"\\u007f\\u0001\\\"\\\\\\n é\""),
            ([], "[]"), ([:], "{}"), (["b": [1, nil], "a": [:]], "{\"b\":[1,null],\"a\":{}}"),
            (.double(123.456), "123.456"),
        ] as [(Value, String)])
    func `is written as jq writes it`(_ value: Value, _ text: String) {
        #expect(value.json() == text)
    }

    @Test func `is written indented and sorted on request`() {
        let value: Value = ["b": [1, [:], []], "a": ["c": nil]]
        #expect(
            value.json(pretty: true, sortedKeys: true) == """
                {
                  "a": {
                    "c": null
                  },
                  "b": [
                    1,
                    {},
                    []
                  ]
                }
                """)
    }

    @Test func `of ten thousand levels is read, compared, hashed, written and released`() throws {
        let text = String(repeating: "[{\"a\":", count: 5000) + "1" + String(repeating: "}]", count: 5000)
        let value = try Value(json: text)
        let other = try Value(json: text)
        #expect(value == other)
        #expect(value.hashValue == other.hashValue)
        #expect(value.json() == text)
    }

    @Test func `of more levels is refused`() throws {
        let error = #expect(throws: ReadingError.self) {
            try Value(json: String(repeating: "[", count: 10_001) + String(repeating: "]", count: 10_001))
        }
        #expect(error?.diagnostics.first?.id == "too-deep")
        #expect(throws: ReadingError.self) { try Value(json: String(repeating: "[", count: 1_000_000)) }
    }
}
