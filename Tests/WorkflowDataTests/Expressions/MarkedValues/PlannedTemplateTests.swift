import Testing
import WorkflowData

struct `Templates in a plan` {
    private static let input: Value = [
        "name": .unknown(Unknown("name", .text)), "n": .unknown(Unknown("n", .number)), "empty": "",
    ]

    private func planned(_ template: Value) throws -> Value {
        try Template(template).evaluate { expression, _ throws(ExpressionError) in
            try expression.evaluatePlanned(Self.input) { _, shape, derivation in
                Unknown(derivation.expression, shape, from: .computed(derivation))
            }
        }
    }

    @Test(arguments: [
        ("Hello ${ .name }", "Hello ‹name›"), ("${ .n } of ${ .n }", "‹n› of ‹n›"), ("${ .name }", "‹name›"),
        ("${ .empty }${ .n }", "‹(.n \n) | tostring›"), ("a ${ [.n] }", "a ‹( [.n] \n) | tostring›"),
        ("${ 1 } ${ [2] }", "1 [2]"),
    ])
    func `keep the parts of a text`(_ template: String, _ drawing: String) throws {
        let result = try planned(.string(template))
        #expect(result.textParts != nil)
        let drawn = try #require(result.drawn().string)
        #expect(drawn.filter { !$0.isWhitespace && $0 != "_" } == drawing.filter { !$0.isWhitespace })
    }
}
