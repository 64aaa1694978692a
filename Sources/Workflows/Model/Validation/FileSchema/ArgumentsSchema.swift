/// The schema of a function's `with` as a file has it, where an expression can replace each value.
///
/// Rules that depend on the values of expressions are left out: the schema accepts everything that can be valid.
struct ArgumentsSchema {
    static let expression: (name: String, schema: Value) = (
        "expression",
        [
            "type": "string", "pattern": #"\$\{"#, "title": "Expression",
            "description": "A runtime expression, written in jq: ${ .name }.",
        ]
    )

    private(set) var value: Value = true
    /// The reference to the schema itself, from which its own references start.
    private let reference: String

    /// Creates the schema.
    /// - Parameters:
    ///   - function: The function that takes the arguments.
    ///   - reference: The reference to their definition in the whole schema.
    init(_ function: any FunctionSignature, at reference: String) {
        self.reference = reference
        var members = rewritten(function.input).object ?? [:]
        if function.input == false { members["not"] = [:] }
        var described: Object = [
            "title": .string("Arguments of \(function.name)"), "description": .string(function.summary),
            "type": "object",
        ]
        for (name, member) in members { described[name] = member }
        if function.name == Workflow.Call.forEach, var properties = described["properties"]?.object {
            // The tasks in a call are checked like all tasks of the file.
            let words = function.input["properties"]?["do"]?["description"] ?? ""
            properties["do"] = ["$ref": .string(FileSchema.reference(to: "taskList")), "description": words]
            described["properties"] = .object(properties)
        }
        value = .object(described)
    }

    /// The schema of a value, or of an expression that computes it.
    private func written(_ schema: Value) -> Value {
        guard case .object(var members) = rewritten(schema) else { return schema }
        if Self.acceptsExpressions(members) { return .object(members) }
        var result: Object = [:]
        for name in ["title", "description", "default"] {
            result[name] = members[name]
            members[name] = nil
        }
        result["anyOf"] = [.object(members), ["$ref": .string(FileSchema.reference(to: Self.expression.name))]]
        return .object(result)
    }

    private static func acceptsExpressions(_ members: Object) -> Bool {
        let shortest = 3
        let types = members["type"].map { $0.array ?? [$0] } ?? ["string"]
        let narrowing = ["enum", "const", "pattern", "format", "maxLength", "$ref", "$dynamicRef", "allOf", "anyOf"]
        return types.contains("string") && !narrowing.contains(where: members.contains)
            && (members["minLength"]?.integer ?? 0) <= shortest
    }

    private func rewritten(_ schema: Value) -> Value {
        guard let members = schema.object else { return schema }
        var result: Object = [:]
        for (keyword, value) in members {
            switch keyword {
            case "properties", "patternProperties":
                result[keyword] = value.object.map { .object($0.mapValues { written($0) }) }
            case "items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems":
                result[keyword] = written(value)
            case "prefixItems": result[keyword] = value.array.map { .array($0.map { written($0) }) }
            case "$defs", "definitions", "dependentSchemas":
                result[keyword] = value.object.map { .object($0.mapValues { rewritten($0) }) }
            case "allOf", "anyOf": result[keyword] = .array((value.array ?? []).map { rewritten($0) })
            case "$ref": result[keyword] = value.string.map { .string(rebased($0)) }
            case "enum": if value.array?.allSatisfy(\.isScalar) == true { result[keyword] = value }
            case "const": if value.isScalar { result[keyword] = value }
            // With an expression inside, these cannot be decided before the run.
            case "oneOf", "not", "if", "then", "else", "contains", "minContains", "maxContains", "uniqueItems",
                "propertyNames", "$schema":
                break
            default: result[keyword] = value
            }
        }
        if let alternatives = members["oneOf"]?.array, !members.contains("anyOf") {
            result["anyOf"] = .array(alternatives.map { rewritten($0) })
        }
        return .object(result)
    }

    /// A reference inside the function's schema, converted to one inside the whole schema.
    private func rebased(_ target: String) -> String {
        target == "#" || target.hasPrefix("#/") ? reference + target.dropFirst() : target
    }
}

extension Value {
    fileprivate var isScalar: Bool { array == nil && object == nil }
}
