enum SchemaWords {
    /// `must be a string or null, but is a number`.
    static func mustBe(_ types: [SchemaType], _ value: Value) -> String {
        var words: [String] = []
        for type in types where !words.contains(withArticle(type.rawValue)) { words.append(withArticle(type.rawValue)) }
        let isFraction = value.typeName == "number" && types.contains(.integer)
        return "must be \(list(words, "or")), but is \(isFraction ? short(value) : withArticle(value.typeName))"
    }

    /// `must be 'a', 'b' or 'c', but is 'd'`.
    static func mustBeOne(of values: [Value], _ value: Value) -> String {
        guard !values.isEmpty else { return "must not be present" }
        let shown = values.prefix(12).map(short)
        let words = values.count > 12 ? shown.joined(separator: ", ") + " or another known value" : list(shown, "or")
        return "must be \(words), but is \(short(value))"
    }

    private static let searchesLimit = 100_000

    /// The value nearest to a wrong one.
    /// - Parameter count: How many values were already wrong.
    static func hint(_ value: Value, among values: [Value], after count: Int) -> String? {
        guard case .string(let text) = value, count * values.count < searchesLimit else { return nil }
        return Diagnostic.didYouMean(text, among: values.compactMap(\.string))
    }

    /// `must have at least 2 elements, but has 1`.
    static func mustHave(
        _ limit: SchemaProgram.SizeLimit, _ bound: Int, _ one: String, _ many: String, _ count: Int
    ) -> String {
        if limit == .maximum, bound == 0 { return "must be empty, but has \(count) \(count == 1 ? one : many)" }
        let words = limit == .minimum ? "at least" : "at most"
        return "must have \(words) \(bound) \(bound == 1 ? one : many), but has \(count == 0 ? "none" : String(count))"
    }

    /// For messages: strings in single quotes, long values truncated.
    static func short(_ value: Value) -> String {
        switch value {
        case .string(let text):
            return "'\(PlainText.cut(text, to: 60).replacing("\n", with: "\\n"))'"
        case .array(let array): return array.isEmpty ? "[]" : "an array"
        case .object(let object): return object.isEmpty ? "{}" : "an object"
        default: return value.json()
        }
    }

    /// `a, b or c`.
    static func list(_ words: [String], _ conjunction: String) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " \(conjunction) " + last
    }

    private static func withArticle(_ type: String) -> String {
        switch type {
        case "null": "null"
        case "object", "array", "integer": "an \(type)"
        default: "a \(type)"
        }
    }
}
