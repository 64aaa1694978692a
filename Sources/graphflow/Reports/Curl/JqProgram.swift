/// A jq program that fills a JSON template or computes an expression.
struct JqProgram {
    private let unknowns: CurlUnknowns
    private var program = ""
    private var arguments: [String] = []

    /// Fills the template; bytes become base64.
    init(_ template: Value, _ unknowns: CurlUnknowns) {
        self.unknowns = unknowns
        program = code(template)
    }

    init(_ derivation: Derivation, _ unknowns: CurlUnknowns) {
        self.unknowns = unknowns
        for (name, value) in derivation.variables.sorted(by: { $0.key < $1.key }) {
            program += "\(code(value)) as $\(name) | "
        }
        let path = derivation.path.map { "[\($0.json())]" }.joined()
        program += "\(code(derivation.input)) | (\(derivation.expression)) | .\(path)"
    }

    /// The arguments after `jq -n`: the values of unknowns, then the program.
    var words: String { (arguments + [program.shellQuoted]).joined(separator: " ") }

    private mutating func code(_ value: Value) -> String {
        switch value {
        case .array(let elements): return "[\(elements.map { code($0) }.joined(separator: ","))]"
        case .object(let members):
            let parts = members.map { "\(Value.string($0.key).json()):\(code($0.value))" }
            return "{\(parts.joined(separator: ","))}"
        case .null, .bool, .integer, .double, .string: return value.json()
        case .marked(let marked):
            if let unknown = value.unknown {
                switch unknown.shape {
                case .object(let members): return code(.object(members))
                case .array(let element): return code([element])
                case .any, .text, .number, .boolean: return argument(unknown)
                }
            }
            let pieces = marked.parts.map { part in
                switch part {
                case .plain(let text): String(Value.string(text).json().dropFirst().dropLast())
                case .unknown(let unknown): "\\(\(argument(unknown)))"
                case .secret(let secret): Drawing.of(secret)
                }
            }
            return "\"\(pieces.joined())\""
        }
    }

    private mutating func argument(_ unknown: Unknown) -> String {
        let unknown = unknowns.expected(of: unknown)
        let name = unknowns.variable(unknown)
        // Every user of the machine could read an argument.
        if unknowns.isSecret(unknown) {
            return unknown.shape == .number ? "($ENV.\(name)|tonumber)" : "$ENV.\(name)"
        }
        let argument: String
        if case .bytes(let position) = unknowns.source(of: unknown), unknowns.defined.contains(unknown) {
            argument = "--rawfile _\(name) \(CurlCommand.base64(position))"
        } else {
            argument = "\(unknown.shape == .number ? "--argjson" : "--arg") _\(name) \"$\(name)\""
        }
        // The underscore separates the name from variables in the workflow's expressions.
        if !arguments.contains(argument) { arguments.append(argument) }
        return "$_\(name)"
    }
}
