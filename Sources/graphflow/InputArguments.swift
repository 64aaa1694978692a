import Essentials
import Workflows

/// The workflow's input from the command line: a whole, properties, or both.
struct InputArguments: Sendable {
    private let whole: String?
    private let properties: [(name: String, text: String)]

    /// Whether the command line sets any input.
    var isGiven: Bool { whole != nil || !properties.isEmpty }

    /// Takes the values of `--input` and of each `-p`.
    init(whole: String?, properties: [String]) throws(UsageError) {
        self.whole = whole
        self.properties = try properties.map { property throws(UsageError) in
            guard let sign = property.firstIndex(of: "="), sign != property.startIndex else {
                throw UsageError("'-p \(property)' sets nothing", hint: "write -p NAME=VALUE")
            }
            return (String(property[..<sign]), String(property[property.index(after: sign)...]))
        }
    }

    /// The input for a workflow.
    /// - Throws: ``ReadingError`` or ``InvalidWorkflow`` if it is wrong.
    func value(for workflow: Workflow) throws -> Value {
        var input = try whole.map(Self.read) ?? [:]
        guard !properties.isEmpty else { return input }
        guard case .object(var members) = input else {
            throw UsageError("'-p' needs an input that is an object", hint: "leave '--input' out, or give it an object")
        }
        var problems: [Diagnostic] = []
        for (name, text) in properties {
            do {
                members[name] = try Self.convert(text, of: name, for: workflow)
            } catch {
                problems += error.diagnostics
            }
        }
        guard problems.isEmpty else { throw InvalidWorkflow(diagnostics: problems) }
        input = .object(members)
        return input
    }

    private static func read(_ argument: String) throws -> Value {
        if argument == "-" { return try DataFile.readStandardInput() }
        guard argument.hasPrefix("@") else { return try Value(json: argument, name: "--input") }
        return try DataFile.read(String(argument.dropFirst()))
    }

    /// Converts a text to the property's type in the input's schema; without a schema, it stays a text.
    private static func convert(
        _ text: String, of name: String, for workflow: Workflow
    ) throws(InvalidWorkflow) -> Value {
        guard let schema = workflow.input.schema, let types = schema.document?["properties"]?[name]?["type"] else {
            return .string(text)
        }
        let names = types.array?.compactMap(\.string) ?? [types.string ?? "string"]
        if let value = try? Value(json: text), names.contains(where: { value.isOf(type: $0) }) { return value }
        if names.contains("string") { return .string(text) }
        throw InvalidWorkflow(
            diagnostics: [
                workflow.document.diagnostic(
                    id: "input",
                    "the input's '\(name)' must be of type \(names.joined(separator: " or ")), but is '\(text)'",
                    at: schema.place(of: JSONPointer(["properties", name, "type"])))
            ])
    }
}

extension Value {
    /// Whether the value has that type of JSON Schema, other than `string`.
    fileprivate func isOf(type: String) -> Bool {
        type == "integer" ? integer != nil && string == nil : typeName == type && string == nil
    }
}
