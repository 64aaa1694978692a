import Testing
import WorkflowData

struct `Templates` {
    private let input: Value = ["name": "Megan", "age": 30, "tags": ["a", "b"], "nested": ["x": nil]]

    private func evaluate(_ value: Value, mode: Template.Mode = .strict) throws -> Value {
        try Template(value, mode: mode).evaluate(input, variables: ["context": ["item": ["id": 7]]])
    }

    @Test(arguments: [
        ("${ .age }", "30"), ("${.tags}", #"["a", "b"]"#), ("  ${ .nested.x }\n", "null"),
        ("${ $context.item.id }", "7"), ("${ empty }", "null"), ("${ .tags[] }", #""a""#),
        (#"${ {a: {b: "}"}} }"#, #"{"a": {"b": "}"}}"#), (#"${ "a\("}" + "{")b" }"#, #""a}{b""#),
        ("${ 1 # } a comment\n }", "1"), (#"${ "\"}" }"#, #""\"}""#),
    ])
    func `a string that is one expression keeps the type of its value`(_ text: String, _ value: String) throws {
        #expect(try evaluate(.string(text)) == Value(json: value))
    }

    @Test(arguments: [
        ("Hello ${ .name }!", "Hello Megan!"), ("${ .name }${ .age }", "Megan30"),
        ("${ .tags }, ${ null }", #"["a","b"], null"#),
        ("a $ b { c } ${ 1 }", "a $ b { c } 1"), ("$${ 1 }", "$1"), ("é${ .name }é", "éMegané"),
        ("${ 1 } ${ \"${ 2 }\" }", "1 ${ 2 }"),
    ])
    func `expressions in a longer string are put in their places`(_ text: String, _ result: String) throws {
        #expect(try evaluate(.string(text)) == .string(result))
    }

    @Test(arguments: ["", "plain", "$", "$ {}", "{}", ".name", "$context"])
    func `other strings stay as they are`(_ text: String) throws {
        #expect(try Template(.string(text)).isConstant)
        #expect(try evaluate(.string(text)) == .string(text))
    }

    @Test(arguments: ["text ${", "text ${ .name # the name", "text ${ .name # the name }", "text ${ .name #\n"])
    func `an expression that only opens is wrong, also where a comment is the last of it`(text: String) {
        let error = #expect(throws: TemplateError.self) { try Template(.string(text)) }
        #expect(error?.findings.map(\.error.message) == ["'${' has no closing '}'"])
    }

    @Test func `data keeps its shape and order around the expressions`() throws {
        let template: Value = ["z": "${ .name }", "a": [1, "${ .age + 1 }", ["deep": "is ${ .age }"]], "c": true]
        let result = try evaluate(template)
        #expect(result == ["z": "Megan", "a": [1, 31, ["deep": "is 30"]], "c": true])
        #expect(result.object?.keys == ["z", "a", "c"])
    }

    @Test func `every expression that is wrong is reported with its place`() {
        let template: Value = ["a": "${ .a | }", "b": ["ok", "x ${ foo } y ${ .b[ }"], "c": "${ 1"]
        let error = #expect(throws: TemplateError.self) { try Template(template) }
        let places = error?.findings.map { "\($0.pointer) \($0.error.offset ?? -1)" }
        #expect(places == ["/a 8", "/b/1 5", "/b/1 20", "/c 0"])
    }

    @Test func `an error while evaluating names the string it stands in`() throws {
        let template = try Template(["a": ["${ .name + 1 }"]])
        let error = #expect(throws: TemplateError.self) { try template.evaluate(input) }
        #expect(error?.findings.first?.pointer.description == "/a/0")
        #expect(error?.findings.first?.error.message == #"string ("Megan") and number (1) cannot be added"#)
    }

    @Test func `what is read can be asked for`() throws {
        let template = try Template(["a": "id ${ $context.item.id } of ${ .user.name // \"x\" }"])
        #expect(template.variables == ["context"])
        #expect(template.variableReads.map(\.read.offset) == [6])
        #expect(template.reads.map(\.path.variable) == ["context", nil])
        #expect(template.reads.map(\.path.keys) == [["item", "id"], ["user", "name"]])
    }

    @Test func `in loose mode a string that is an expression is one`() throws {
        #expect(
            try evaluate([".age", "not an expression", "${ .age }", ""], mode: .loose) == [
                30, "not an expression", 30, "",
            ])
    }

    @Test func `a condition is read with and without its braces`() throws {
        for source in [".age > 18", "${ .age > 18 }", " ${.age > 18} "] {
            #expect(try Expression(bare: source).first(input) == true)
        }
        let error = #expect(throws: ExpressionError.self) { try Expression(bare: "  ${ .a + }") }
        #expect(error?.offset == 10)
    }
}
