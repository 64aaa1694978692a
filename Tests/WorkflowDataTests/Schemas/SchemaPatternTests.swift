import Testing
import WorkflowData

/// Regular expressions in schemas, which are those of ECMA-262.
struct SchemaPatternTests {
    @Test(
        arguments: [
            ("^\\d+$", ["12"], ["12\n", "\u{663}", "a1"]), ("b", ["abc"], ["ac"]),
            ("^.$", ["😀", "\u{85}"], ["\n", "\u{2028}"]),
            ("^\\w$", ["a", "_"], ["é"]), ("^\\s$", ["\u{A0}", "\u{FEFF}", "\u{3000}"], ["\u{85}", "\u{200B}"]),
            ("\\bé", ["aé"], ["é", " é"]), ("^\\u00e9\\x41\\cJ\\0$", ["éA\n\u{0}"], ["eA\n\u{0}"]),
            ("^\\uD83D\\uDE00\\u{1F600}$", ["😀😀"], ["😀"]), ("^[\\uD83D\\uDE00-\\u{1F64F}]$", ["😀", "🙏"], ["a"]),
            ("^[]$", [], ["", "a"]), ("^[^]$", ["\n"], [""]), ("^[[&&]$", ["[", "&"], ["a"]),
            ("^[\\b]$", ["\u{8}"], ["b"]),
            ("^[a-\\d]$", ["a", "-", "5"], ["b"]), ("^[\\w-]+$", ["a-b"], ["a.b"]), ("^[^a-c\\D]$", ["1"], ["a", "x"]),
            ("^a{2}b{1,}c{0,1}$", ["aab", "aabbc"], ["ab", "aac"]), ("^a{,2}$", ["a{,2}"], ["a"]),
            ("^{a}$", ["{a}"], ["a"]),
            ("^(?<year>\\d{4})-\\k<year>$", ["2026-2026"], ["2026-2025"]),
            ("^(?:(a)|b)\\1$", ["aa", "b"], ["a", "ba"]),
            ("^(?:(a)|b)*\\1$", ["ab", "aa", ""], ["x"]), ("^(?:(a*))*\\1$", ["aa", ""], ["a"]),
            ("^\\2(a)(b)$", ["ab"], ["bab"]), ("(?<=\\$\\d*)[a-z]", ["$12x"], ["12x"]), ("(?<!-)b", ["ab"], ["-b"]),
            ("^(?=.*\\d)(?!.*x).{3,}$", ["ab1"], ["abc", "ab1x", "a1"]), ("(?<=(\\d+)(\\d+))$", ["12"], ["1"]),
            ("^(?i:é)a$", ["Éa", "éa"], ["éA"]), ("^(?s:.)$", ["\n"], []),
            ("^\\p{Lu}\\p{Letter}\\P{L}$", ["Éa1"], ["ea1"]),
            ("^\\p{gc=Nd}[\\p{Alphabetic}]$", ["1é"], ["a1"]), ("^\\/\\-\\_\\\"$", ["/-_\""], []),
            ("a|^$", ["", "ba"], ["b"]),
            ("^(?:|a)*$", ["aa"], ["b"]), ("x*", [""], []), ("^]$", ["]"], []), ("^a*?$", ["aaa"], ["ab"]),
        ] as [(String, [String], [String])])
    func `match what they describe`(_ pattern: String, _ valid: [String], _ invalid: [String]) throws {
        let schema = try JSONSchema(["pattern": .string(pattern)])
        for text in valid { #expect(schema.accepts(.string(text)), "\(text)") }
        for text in invalid { #expect(!schema.accepts(.string(text)), "\(text)") }
    }

    @Test(arguments: [
        ("(", "end pattern with unmatched parenthesis"), ("a)", "unmatched close parenthesis"),
        ("[a", "premature end of char-class"), ("[b-a]", "empty range in char class"),
        ("*", "target of repeat operator is not specified"),
        ("a**", "target of repeat operator is not specified"), ("a++", "target of repeat operator is not specified"),
        ("a{2}{3}", "target of repeat operator is not specified"),
        ("a{3,2}", "upper is smaller than lower in a repeat range"),
        ("\\a", "invalid escape \\a"), ("^a\\Z", "invalid escape \\Z"),
        ("\\1", "the regular expression refers to a group that it does not have"),
        ("\\01", "invalid escape \\0"), ("[\\1]", "invalid escape \\1"), ("\\c1", "invalid escape \\c"),
        ("\\u12", "too short escape sequence"),
        ("\\x1", "too short escape sequence"), ("\\u{110000}", "invalid code point value"),
        ("(?>a)", "undefined group option"),
        ("(?i)a", "undefined group option"), ("(?P<n>a)", "undefined group option"),
        ("(?m:a)", "undefined group option"),
        ("(?<n>a)(?<n>b)", "the group name <n> is given twice"),
        ("\\k<n>", "the regular expression refers to an undefined name <n>"),
        ("\\p{Script=Greek}", "the character property {Script=Greek} is not known"),
        ("\\p{word}", "the character property {word} is not known"),
        ("\\pL", "invalid character property"), ("\\", "end pattern at escape"),
    ])
    func `say what is wrong with them`(_ pattern: String, _ reason: String) {
        let error = #expect(throws: JSONSchemaError.self) { try JSONSchema(["pattern": .string(pattern)]) }
        #expect(error?.message == "'\(pattern)' is not a regular expression")
        #expect(error?.hint == reason)
        #expect((try? JSONSchema(["format": "regex"]))?.accepts(.string(pattern)) == false)
    }

    @Test func `are limited together`() {
        let patterns = (0..<30).map { ("a{\(90_000 + $0)}", Value.bool(true)) }
        let error = #expect(throws: JSONSchemaError.self) {
            try JSONSchema(["patternProperties": .object(Object(patterns))])
        }
        #expect(error?.message == "the regular expressions of the schema are too large")
    }
}
