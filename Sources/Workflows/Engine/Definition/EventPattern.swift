/// What an attribute of an event, or a part of its data, must be like.
///
/// Specification: dsl-reference.md, "Event Filter", which "supports both regular expressions and runtime expressions".
package indirect enum EventPattern: Sendable {
    /// An expression that says whether it fits, or gives what it must be equal to; it is evaluated on the attribute.
    case expression(Template)
    /// A text, or a regular expression for the whole of one.
    case text(String)
    /// An object with members like these, and maybe others.
    case object([(name: String, pattern: EventPattern)])
    /// Just this.
    case value(Value)
}

extension EventPattern {
    /// Reads a pattern from the file; texts with `${ }` are expressions.
    init(_ value: Value) throws(TemplateError) {
        switch value {
        case .string(let text):
            self = text.contains("${") ? .expression(try Template(value, mode: .strict)) : .text(text)
        case .object(let members):
            var patterns: [(name: String, pattern: EventPattern)] = []
            for (name, member) in members { patterns.append((name, try EventPattern(member))) }
            self = .object(patterns)
        case .null, .bool, .integer, .double, .array: self = .value(value)
        }
    }
}
