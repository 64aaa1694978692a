import Testing
import WorkflowData

struct `A secret in an expression` {
    private static let key: Value = .secret("Aladdin's lamp", of: ["key"])

    private func evaluate(_ source: String, _ input: Value = key) throws -> Value {
        try WorkflowData.Expression(source).first(input, variables: ["key": Self.key], marks: true)
    }

    @Test(
        arguments: [
            ("length", 14 as Value), (". == \"Aladdin's lamp\"", true), (". == \"b\"", false), ("test(\"^A\")", true),
            ("startswith(\"Ala\")", true), ("type", "string"), ("index(\"lamp\")", 10), ("utf8bytelength", 14),
            ("[., \"b\"] | index(\"b\")", 1), ("[match(\"lamp\").offset]", [10]), ("{a: .} | has(\"a\")", true),
            ("if . then 1 else 2 end", 1), ("[\"b\", .] | sort | length", 2), ("contains(\"lamp\")", true),
            ("{a: ., b: 1} | .b", 1), ("{a: ., b: \"x\"} | keys", ["a", "b"]), ("[., .] | unique | length", 1),
        ] as [(String, Value)])
    func `decides and measures by its real text`(_ source: String, _ expected: Value) throws {
        #expect(try evaluate(source) == expected)
    }

    @Test(arguments: [
        ("@base64", "QWxhZGRpbidzIGxhbXA="), ("@uri", "Aladdin%27s%20lamp"), ("ascii_upcase", "ALADDIN'S LAMP"),
        (".[0:3]", "Ala"), ("split(\"'\") | .[0]", "Aladdin"), ("tojson", #""Aladdin's lamp""#),
        ("tojson | fromjson", "Aladdin's lamp"), ("explode | implode", "Aladdin's lamp"),
        ("sub(\"lamp\"; \"x\")", "Aladdin's x"), ("[., .] | add", "Aladdin's lampAladdin's lamp"),
        ("{a: .} | tostring", #"{"a":"Aladdin's lamp"}"#),
    ])
    func `stays secret in what is made of it`(_ source: String, _ expected: String) throws {
        let result = try evaluate(source)
        #expect(result.holdsSecret)
        #expect(result.revealed == .string(expected))
        #expect(!result.json().contains(expected))
    }

    @Test(arguments: [
        (#""Basic " + $key"#, #""Basic ‹secrets.key›""#), (#""Basic \($key)""#, #""Basic ‹secrets.key›""#),
        (#""Basic " + ("me:" + $key | @base64)"#, #""Basic ‹secrets.key›""#),
        (#"["a", $key, 1] | join(",")"#, #""a,‹secrets.key›,1""#), (#"("ab" + $key)[1:4]"#, #""b‹secrets.key›""#),
        (#"("ab" + $key)[0:1]"#, #""a""#), (#"@uri "https://x/\($key)?a""#, #""https://x/‹secrets.key›?a""#),
        (#"$key | gsub("l"; "-")"#, #""‹secrets.key›-‹secrets.key›-‹secrets.key›""#),
    ])
    func `is drawn beside the plain parts of a text`(_ source: String, _ drawing: String) throws {
        #expect(try evaluate(source).json() == drawing)
    }

    @Test(arguments: [
        "tonumber", "fromjson", "error", "error({a: .})", ".a", ".[0]", "keys", "{(.): 1}", "{} | .[$key] = 1",
        "[{key: ., value: 1}] | from_entries", "[1] | .[$key]", "$key - 1", "$key | strptime(\"%Y\")", "@base64d",
        "[$key] | implode", "-$key", "test(\"(\")", "$key as [$a] | $a", ".[]", "ltrimstr(1) | tonumber",
    ])
    func `is in no error`(_ source: String) throws {
        let error = #expect(throws: ExpressionError.self) { try evaluate(source) }
        #expect(error?.message.contains("Aladd") == false)
        #expect(error?.value.map { $0.json().contains("Aladd") } != true)
    }

    @Test(arguments: [
        ("$key - 1", #"string ("‹secrets.key›") and number (1) cannot be subtracted"#),
        ("-$key", #"string ("‹secrets.key›") cannot be negated"#),
        ("$key | tonumber", #"tonumber cannot be used with string ("‹secrets.key›")"#),
        ("$key | @base64d", #"string ("‹secrets.key›") cannot be formatted with @base64d"#),
        ("error($key)", "‹secrets.key›"),
    ])
    func `is drawn in errors`(_ source: String, _ message: String) throws {
        let error = #expect(throws: ExpressionError.self) { try evaluate(source) }
        #expect(error?.message == message)
    }

    @Test func `is a secret in catch`() throws {
        let result = try evaluate("try error($key) catch .")
        #expect(result == Self.key)
    }

    @Test func `is an error as the name of a member`() throws {
        let error = #expect(throws: ExpressionError.self) { try evaluate("{($key): 1}") }
        #expect(error?.message == "a secret cannot be the name of a member")
    }

    @Test func `stays a part of a template's text`() throws {
        let template = try Template(["Authorization": "Bearer ${ $key }", "n": "${ $key | length }"])
        let result = try template.evaluate(nil, variables: ["key": Self.key], marks: true)
        #expect(result["n"] == 14)
        #expect(result["Authorization"]?.textParts?.count == 2)
        #expect(result.revealed["Authorization"] == "Bearer Aladdin's lamp")
    }

    @Test func `without marks is an error where it would count`() throws {
        #expect(throws: ExpressionError.self) {
            try WorkflowData.Expression("ascii_upcase").first(Self.key)
        }
    }
}
