/// A function that every expression can call.
enum Builtin: Sendable {
    typealias Native = @Sendable (Evaluation, Value, [Value]) throws(Signal) -> Value

    /// Makes one value of the input and the arguments' values; of several argument values, all combinations.
    case native(Native)
    /// A node of its own, because it takes filters, has several outputs or none, or is a path expression.
    case node(@Sendable ([any Node]) -> any Node)
    /// Part of jq, but not of expressions, with the reason.
    case refused(String)

    /// The function of that name with that many arguments.
    static func named(_ name: String, _ arity: Int) -> Builtin? { table["\(name)/\(arity)"] }

    /// The names of all functions, with their numbers of arguments: `map/1`.
    static var names: [String] {
        let own = table.filter { entry in
            if case .refused = entry.value { return false }
            return !entry.key.hasPrefix("_")
        }
        return (Array(own.keys) + Prelude.sources.keys).sorted()
    }

    private static let table: [String: Builtin] = {
        var table = leftOut
        for part in [control, types, collections, entries, strings, patterns, numbers, mathematics, dates] {
            table.merge(part) { first, _ in first }
        }
        return table
    }()

    private static let leftOut: [String: Builtin] = [
        "input/0": .refused("input is left out of expressions: there is one input only"),
        "inputs/0": .refused("inputs is left out of expressions: there is one input only"),
        "input_filename/0": .refused("input_filename is left out of expressions: an input is no file"),
        "halt/0": .refused("halt is left out of expressions: use error"),
        "halt_error/0": .refused("halt_error is left out of expressions: use error"),
        "halt_error/1": .refused("halt_error is left out of expressions: use error"),
        "modulemeta/0": .refused("modules are left out of expressions"),
        "get_search_list/0": .refused("modules are left out of expressions"),
    ]
}
