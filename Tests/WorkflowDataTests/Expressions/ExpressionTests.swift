import Foundation
import Testing
import WorkflowData

struct `Expressions` {
    private func evaluate(_ source: String, _ input: Value = nil) throws -> [Value] {
        try WorkflowData.Expression(source).evaluate(input)
    }

    @Test(arguments: [
        (".a |", 4), ("1 +", 3), ("foo", 0), (".a | foo(1)", 5), ("\"abc", 0), ("\"\\x\"", 1), ("[1, 2", 5),
        ("{a: 1 as $x | $x}", 6),
        ("1 == 1 == 1", 7), ("break $out", 0), ("@nothing", 0), ("if . then 1", 11), (". as [] | 1", 6), (". €", 2),
        ("$", 0),
        ("input", 0), ("'a'", 0), ("...a", 2), ("}", 0), ("def f: 1", 8),
    ])
    func `what cannot be compiled is refused with its place`(_ source: String, _ offset: Int) {
        let error = #expect(throws: ExpressionError.self) { try WorkflowData.Expression(source) }
        #expect(error?.offset == offset)
    }

    @Test func `the variables that it needs are known with their places`() throws {
        let expression = try WorkflowData.Expression(
            ". as $x | $x + $context.a | $input as $y | $y, $__loc__, $context")
        #expect(expression.variables == ["context", "input"])
        #expect(expression.variableReads.map(\.offset) == [15, 28, 57])
        let error = #expect(throws: ExpressionError.self) { try expression.evaluate(nil) }
        #expect(error?.message == "$context is not defined")
        #expect(error?.offset == 15)
    }

    @Test func `the first output is what a workflow uses`() throws {
        #expect(try WorkflowData.Expression("1, error(\"x\")").first(nil) == 1)
        #expect(try WorkflowData.Expression("empty").first(nil) == nil)
    }

    @Test func `the value of an error is kept`() throws {
        let expression = try WorkflowData.Expression("error({code: 5})")
        let error = #expect(throws: ExpressionError.self) { try expression.evaluate(nil) }
        #expect(error?.value == ["code": 5])
    }

    @Test(arguments: [
        ("9007199254740993", 9_007_199_254_740_993 as Value), ("9223372036854775807", 9_223_372_036_854_775_807),
        ("9007199254740993 + 0", 9_007_199_254_740_992), ("[9007199254740993][0] == 9007199254740992", false),
        ("1 / 2 * 2", 1), ("3.0", 3), ("1e3", 1000), ("-(1)", -1), ("0.1 + 0.2", 0.30000000000000004),
        ("9223372036854775807 + 1", 9.223372036854776e18),
    ])
    func `whole numbers stay exact until something is calculated`(_ source: String, _ value: Value) throws {
        #expect(try evaluate(source) == [value])
    }

    @Test(arguments: [
        ("@base64d", "YWJj", "abc"), ("@base64d", "YWI=", "ab"), ("@base64d", "YQ", "a"), ("@base64d", "YR==", "a"),
        ("@base64d", "YWI=c", "ab"), ("@base64d", "+0=b", "\u{FFFD}"), ("@base64d", "", ""), ("@base64d", "w6k", "é"),
        ("@urid", "%C3%a9+%41", "é+A"), ("@uri", "é ~/\0", "%C3%A9%20~%2F%00"),
    ])
    func `encoded texts are decoded as in jq`(_ format: String, _ text: String, _ result: String) throws {
        #expect(try evaluate(format, .string(text)) == [.string(result)])
    }

    @Test(arguments: [
        ("@base64d", "YWJjZ", "trailing base64 byte"), ("@base64d", "YWJ-Z", "not valid base64"),
        ("@base64d", "=", "not valid base64"), ("@base64d", "YWJj\n", "not valid base64"),
        ("@urid", "%4", "not a valid uri encoding"), ("@urid", "%FF", "not a valid uri encoding"),
        ("@urid", "%C3A9", "not a valid uri encoding"), ("@urid", "%+4", "not a valid uri encoding"),
    ])
    func `a text that is not encoded that way is an error`(_ format: String, _ text: String, _ message: String) {
        let error = #expect(throws: ExpressionError.self) { try evaluate(format, .string(text)) }
        #expect(error?.message.contains(message) == true)
    }

    @Test func `the time comes from outside`() throws {
        let environment = WorkflowData.Expression.Environment(now: { Date(timeIntervalSince1970: 1_425_599_507) })
        let outputs = try WorkflowData.Expression("now | todate").evaluate(nil, environment: environment)
        #expect(outputs == ["2015-03-05T23:51:47Z"])
    }

    @Test func `objects keep the order of insertion`() throws {
        let outputs = try evaluate("{b: 1, a: 2} | .c = 3 | del(.b) | .b = 4 | [keys_unsorted, keys]")
        #expect(outputs == [[["a", "c", "b"], ["a", "b", "c"]]])
    }

    @Test func `letters that Unicode calls equivalent are different strings`() throws {
        #expect(try evaluate(#""\u00e9" == "e\u0301""#) == [false])
        #expect(try evaluate(#""e\u0301" | length"#) == [2])
    }

    @Test(arguments: [
        ("{a: [1]} | .a[0]?", "[1]"), ("{a: 1} | .a.b?", "[]"), ("[1] | .[\"a\"]?", "[]"), ("[.[]?]", "[[]]"),
        ("1 | .a?.b", "[]"), ("(1, 2 | error)?", "[]"), ("[1, null, 2][]?", "[1, null, 2]"), ("1 | (.a.b)?", "[]"),
    ])
    func `a question mark leaves out the error of the last access`(_ source: String, _ outputs: String) throws {
        #expect(try .array(evaluate(source)) == Value(json: outputs))
    }

    @Test func `an error behind an optional access is not left out`() {
        #expect(throws: ExpressionError.self) { try evaluate(".a.b?", 1) }
        #expect(throws: ExpressionError.self) { try evaluate("[1]?[] | error(\"x\")") }
    }

    @Test func `a class without some letters is without both their cases when case does not count`() throws {
        let expression = try Expression(#"[match("[^a]"; "gi").string] | join("")"#)
        #expect(try expression.evaluate("bAnaNa") == ["bnN"])
    }
}
