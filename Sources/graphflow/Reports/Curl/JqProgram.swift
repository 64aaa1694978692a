import Workflows

/// A jq program that fills the unknowns of a JSON template, or computes an expression.
struct JqProgram {
    private var program = ""
    private var arguments: [String] = []

    /// Fills the template; bytes become base64.
    init(_ template: Value, _ symbols: inout CurlSymbols) { program = code(template, &symbols) }

    /// Computes the expression.
    init(_ derivation: PlannedDerivation, _ symbols: inout CurlSymbols) {
        for (name, value) in derivation.variables.sorted(by: { $0.key < $1.key }) {
            program += "\(code(value, &symbols)) as $\(name) | "
        }
        program += "\(code(derivation.input, &symbols)) | (\(derivation.expression)) | \(derivation.path)"
    }

    /// The arguments after `jq -n`: the values of unknowns, then the program.
    var words: String { (arguments + [program.shellQuoted]).joined(separator: " ") }

    private mutating func code(_ value: Value, _ symbols: inout CurlSymbols) -> String {
        switch value {
        case .string(let text):
            let pieces = SymbolicText(text).pieces
            if pieces.count == 1, case .symbol(let symbol)? = pieces.first { return argument(symbol, &symbols) }
            return "\""
                + pieces.map { piece in
                    switch piece {
                    case .literal(let text): String(Value.string(text).json().dropFirst().dropLast())
                    case .symbol(let symbol): "\\(\(argument(symbol, &symbols)))"
                    }
                }.joined() + "\""
        case .array(let elements): return "[\(elements.map { code($0, &symbols) }.joined(separator: ","))]"
        case .object(let members):
            let parts = members.map { "\(Value.string($0.key).json()):\(code($0.value, &symbols))" }
            return "{\(parts.joined(separator: ","))}"
        case .null, .bool, .integer, .double, .marked: return value.json()
        }
    }

    private mutating func argument(_ symbol: String, _ symbols: inout CurlSymbols) -> String {
        let name = symbols.variable(symbol)
        let argument: String
        if case .bytes(let position) = symbols.source(of: symbol), symbols.defined.contains(symbol) {
            argument = "--rawfile _\(name) \(CurlCommand.base64(position))"
        } else {
            argument = "--arg _\(name) \"$\(name)\""
        }
        // The underscore keeps the name apart from the variables of the workflow's expressions.
        if !arguments.contains(argument) { arguments.append(argument) }
        return "$_\(name)"
    }
}
