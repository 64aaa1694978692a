/// A text with placeholders, `{{ name }}`; values are not searched for placeholders.
struct TextTemplate {
    private enum Part {
        case text(Substring)
        case placeholder(String, line: Int)
    }

    private let parts: [Part]

    init(_ text: String) throws(FunctionError) {
        var parts: [Part] = []
        var rest = Substring(text)
        var line = 1
        while let open = rest.firstRange(of: "{{") {
            let before = rest[..<open.lowerBound]
            line += before.count { $0.isNewline }
            guard let close = rest[open.upperBound...].firstRange(of: "}}") else {
                throw FunctionError("Line \(line) of the template has a '{{' without a '}}'")
            }
            let inside = rest[open.upperBound..<close.lowerBound]
            let name = String(inside.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
            guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || "_-.".contains($0) }) else {
                throw FunctionError(
                    "Line \(line) of the template has '{{\(PlainText.exact(String(inside), limit: 60))}}', "
                        + "which is not a name",
                    hint: "a placeholder is a name in double braces: {{ name }}")
            }
            parts.append(.text(before))
            parts.append(.placeholder(name, line: line))
            line += inside.count { $0.isNewline }
            rest = rest[close.upperBound...]
        }
        parts.append(.text(rest))
        self.parts = parts
    }

    /// Throws for the first placeholder that has no value.
    func check(names: [String]) throws(FunctionError) {
        for case .placeholder(let name, let line) in parts where !names.contains(name) {
            throw FunctionError(
                "Line \(line) of the template needs a value for '\(name)', but 'values' has none",
                hint: Diagnostic.didYouMean(name, among: names))
        }
    }

    func fill(_ values: [String: String]) throws(FunctionError) -> String {
        try check(names: values.keys.sorted())
        var text = ""
        for part in parts {
            switch part {
            case .text(let literal): text += literal
            case .placeholder(let name, _): text += values[name] ?? ""
            }
        }
        return text
    }
}
