/// `graphflow functions`: lists what workflows can call, or explains one function.
struct FunctionsCommand: Command {
    static let name = "functions"
    static let onlyReads = true
    static let summary = "List the functions that workflows can call, or explain one."
    static let examples = ["functions", "functions sendMail"]
    static let discussion = "Workflows use 'call: NAME' or, with a version, 'call: NAME:VERSION@default'."

    @Operand("[NAME]", "a name", offering: .functions) private var function: String?
    @Flag("json", "Print JSON, with the schemas of arguments and output.") private var wantsJSON

    func run(on console: Console) async throws -> ExitStatus {
        let catalog = Catalog.default
        guard let name = function else {
            if wantsJSON {
                console.print(.array(catalog.functions.map(\.description)))
            } else {
                for function in catalog.functions {
                    console.print(
                        "\(function.name.padding(to: 14))\(function.effect.rawValue.padding(to: 12))\(function.summary)"
                    )
                }
            }
            return .success
        }
        let function = try Conversion.named(
            "function", among: catalog.names, list: "run 'graphflow functions' to see them", { catalog[$0] }
        ).value(name, "")
        if wantsJSON { console.print(function.description) } else { console.print(function.explanation) }
        return .success
    }
}

extension Function {
    fileprivate var description: Value {
        [
            "name": .string(name), "version": .string(version), "summary": .string(summary),
            "effect": .string(effect.rawValue), "input": input, "output": output,
            "permissions": [
                "delegated": .array(permissions.delegated.map { .string($0) }),
                "application": .array(permissions.application.map { .string($0) }),
            ],
        ]
    }

    var explanation: String {
        let required = input["required"]?.array?.compactMap(\.string) ?? []
        let arguments = (input["properties"]?.object ?? [:]).map { name, schema in
            let mark = required.contains(name) ? name : "\(name)?"
            return "  \(mark.padding(to: 22))\(schema["description"]?.string ?? "")"
        }
        let lines = [
            "\(name) \(version): \(summary)", "", "effect:       \(effect.rawValue)  (\(effect.words))",
            "permissions:  delegated \(permissions.delegated.described), application \(permissions.application.described)",
            "", arguments.isEmpty ? "It takes no arguments." : "with:",
        ]
        return (lines + arguments).joined(separator: "\n")
    }
}

extension [String] {
    fileprivate var described: String { isEmpty ? "none" : joined(separator: ", ") }
}
