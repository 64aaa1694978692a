import TestSupport
import Testing
import WorkflowData

/// How many steps regular expressions take, in both of their dialects.
struct PatternStepsTests {
    /// Patterns for which a matcher that only backtracks takes exponential or cubic time, and texts that they do not
    /// match, but nearly.
    private static let patterns: [(pattern: String, letter: String, end: String)] = [
        ("(a+)+$", "a", "b"), ("(a|aa)*b", "a", ""), ("(.*)*x", "y", ""), ("(a|a)*b", "a", ""), ("(a*)*b", "a", ""),
        ("((a*)*)*b", "a", ""), ("((a?|b)*c?)*d", "a", ""), ("^(([a-z])+.)+[A-Z]([a-z])+$", "a", ""),
        ("(a?){20}a{20}b", "a", ""), ("(a*?)*?b", "a", ""), (".*.*=.*", "x", ""), ("(?=(a+)+$)b", "a", "c"),
        ("(?:a|(?:a|aa))+(?!a)b", "a", ""), ("(a+)+(?<=b)$", "a", "c"), ("^(?:a?b??)*$", "a", "c"),
    ]

    @Test(arguments: patterns, Extent.of([64, 1_000, 20_000], or: [64, 3_000]))
    func `grow with the text, not with its square or power`(
        _ pattern: (pattern: String, letter: String, end: String), _ count: Int
    ) throws {
        let text = Value.string(String(repeating: pattern.letter, count: count) + pattern.end)
        let steps = 1_000 + count * 30
        let test = try Expression("test($pattern)")
        let variables = ["pattern": Value.string(pattern.pattern)]
        #expect(try test.first(text, variables: variables, budget: Expression.Budget(steps: steps)) == false)
        let schema = try JSONSchema(["pattern": variables["pattern"] ?? nil])
        #expect(schema.validate(text, steps: steps).map(\.schema) == [JSONPointer(["pattern"])])
    }

    @Test func `of a hundred thousand letters are few`() throws {
        let text = Value.string(String(repeating: "a", count: 100_000) + "b")
        let budget = Expression.Budget(steps: 2_000_000)
        for pattern in ["(a+)+$", "(a|aa)*c", "(.*)*x"] {
            #expect(try Expression("test(\"\(pattern)\")").first(text, budget: budget) == false)
        }
    }

    @Test func `of all matches together grow with the text as well`() throws {
        let text = Value.string(String(repeating: "a", count: 5_000) + "b" + String(repeating: "ac", count: 1_000))
        let count = try Expression(#"[match("(a+)+c|a"; "g")] | length"#)
        #expect(try count.first(text, budget: Expression.Budget(steps: 100_000)) == 6_000)
        let longest = try Expression(#"[match("(a|aa)+"; "gl").length]"#)
        #expect(try longest.first(.string("aaa baaa"), budget: Expression.Budget(steps: 1_000)) == [3, 3])
    }

    @Test(arguments: [#"^(a+)+\\1b$"#, #"(?=.*(a*)*\\1c)x"#])
    func `with backreferences end with the budget`(_ pattern: String) throws {
        let text = Value.string(String(repeating: "a", count: 64))
        let error = #expect(throws: ExpressionError.self) {
            try Expression("try test(\"\(pattern)\") catch true").first(text, budget: Expression.Budget(steps: 10_000))
        }
        #expect(error?.message == "the expression takes more than 10000 steps")
        let schema = try JSONSchema(Value(json: "{\"pattern\": \"\(pattern)\"}"))
        #expect(
            schema.validate(text, steps: 10_000).map(\.message) == [
                "takes too many steps to be checked against its schema"
            ])
    }

    @Test(arguments: ["((?:){100000}){100000}", "((a{1000}){1000}){1000}", "(((x?){300}){300}){300}"])
    func `are not spent on compiling`(_ pattern: String) {
        let error = #expect(throws: ExpressionError.self) { try Expression("test(\"\(pattern)\")").first("a") }
        #expect(error?.message == "the regular expression is too large")
        #expect(throws: JSONSchemaError.self) { try JSONSchema(["pattern": .string(pattern)]) }
    }

    @Test func `remember no failure in the captures`() throws {
        // As jq 1.7 and Perl: the last iteration is empty.
        let captures = try Expression(#"match("(a*)*").captures[0].string"#).first("aa")
        #expect(captures == "")
        let groups = try Expression(#"[match("(?:(a)|(b))*c").captures[].string]"#).first("abab abc")
        #expect(groups == ["a", "b"])
    }
}
