/// A pattern for an attribute of an event, or for a part of its data.
///
/// Specification: dsl-reference.md, "Event Filter", which "supports both regular expressions and runtime expressions".
package indirect enum EventPattern: Sendable {
    /// An expression, evaluated on the attribute, that returns whether it matches or the value that it must equal.
    case expression(Template)
    /// A text, or a regular expression that matches a whole text.
    case text(String)
    /// An object with members that match these, and possibly others.
    case object([(name: String, pattern: EventPattern)])
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
        case .null, .bool, .integer, .double, .array, .marked: self = .value(value)
        }
    }
}
