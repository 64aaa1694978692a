/// A property of a workflow's input, with the types that the input's schema gives it.
///
/// A command line and a table have only texts, which are converted to these types.
package struct InputProperty: Sendable {
    package let name: String
    /// The names of its types in JSON Schema; nil if the schema gives none.
    private let types: [String]?
    package let place: JSONPointer

    /// Finds a property in the schema; without a readable schema, it is text.
    package init(_ name: String, of workflow: Workflow) {
        self.name = name
        let schema = workflow.input.schema
        let types = schema?.document?["properties"]?[name]?["type"]
        self.types = types.map { $0.array?.compactMap(\.string) ?? [$0.string ?? "string"] }
        place = schema?.place(of: JSONPointer(["properties", name, "type"])) ?? .root
    }

    /// Whether an empty text is a valid value.
    package var isText: Bool { types?.contains("string") ?? true }

    /// The value of a text; nil if it is of none of the types.
    package func value(of text: String) -> Value? {
        guard let types, types != ["string"] else { return .string(text) }
        if let value = try? Value(json: text), types.contains(where: { value.isOf(type: $0) }) { return value }
        if types.contains("string") { return .string(text) }
        // Spreadsheets write TRUE and FALSE.
        let words: [String: Value] = types.contains("boolean") ? ["true": true, "false": false] : [:]
        return words[text.trimmed.lowercased()]
    }

    /// Why a text is not a value.
    package func problem(with text: String) -> String {
        let names = (types ?? []).joined(separator: " or ")
        return "the input's '\(name)' must be of type \(names), but is '\(PlainText.exact(text, limit: 60))'"
    }
}

extension Value {
    /// Whether the value has that type of JSON Schema, other than `string`.
    fileprivate func isOf(type: String) -> Bool {
        type == "integer" ? integer != nil && string == nil : typeName == type && string == nil
    }
}
