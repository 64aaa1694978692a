/// A regular expression with ECMA-262's meaning, as in JSON Schema, found anywhere in the text.
struct SchemaPattern: Sendable {
    let text: String
    private let expression: RegularExpression

    init(_ text: String) throws(Signal) {
        self.text = text
        expression = try RegularExpression(ecmaScript: text)
    }

    /// Its memory, in instructions.
    var size: Int { expression.instructions.count }

    func matches(_ subject: PatternSubject, _ budget: any StepBudget) throws(Signal) -> Bool {
        try budget.step(subject.scalars.count >> 6)
        var matcher = RegularExpressionMatcher(expression, subject.scalars, budget)
        return try matcher.firstMatch(from: 0) != nil
    }

    /// Whether the text is a regular expression of any size.
    static func isValid(_ text: String) -> Bool {
        var parser = RegularExpressionParser(text, .ecmaScript, RegularExpressionParser.Options())
        return (try? parser.parse()) != nil
    }
}
