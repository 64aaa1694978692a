enum Builtin: Sendable {
    typealias Native = @Sendable (Evaluation, Value, [Value]) throws(Signal) -> Value

    /// Computes one value from the input and the arguments; called for each combination of argument values.
    case native(Native)
    /// Compiled to a dedicated node, because it takes filters, has several outputs or none, or is a path expression.
    case node(@Sendable ([any Node]) -> any Node)
    /// Part of jq, but not available in expressions; holds the reason.
    case refused(String)

    static var names: [String] {
        let own = table.filter { entry in
            if case .refused = entry.value { return false }
            return !entry.key.hasPrefix("_")
        }
        return (Array(own.keys) + Prelude.sources.keys).sorted()
    }

    static let table: [String: Builtin] = {
        var table = leftOut
        for part in [control, types, collections, entries, strings, patterns, numbers, mathematics, dates] {
            table.merge(part) { first, _ in first }
        }
        return table
    }()

    private static let leftOut: [String: Builtin] = [
        "env/0": .refused(
            "env is not available in expressions: values come from the input, variables and secrets"),
        "input/0": .refused("input is not available in expressions: there is only one input"),
        "inputs/0": .refused("inputs is not available in expressions: there is only one input"),
        "input_filename/0": .refused("input_filename is not available in expressions: an input is not a file"),
        "halt/0": .refused("halt is not available in expressions: use error"),
        "halt_error/0": .refused("halt_error is not available in expressions: use error"),
        "halt_error/1": .refused("halt_error is not available in expressions: use error"),
        "modulemeta/0": .refused("modules are not available in expressions"),
        "get_search_list/0": .refused("modules are not available in expressions"),
    ]
}
