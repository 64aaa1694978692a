import Promises

/// The JSON Schema of a function's input, compiled once, when the function is first called.
final class FunctionInputSchema: Sendable {
    private let source: Value
    private let result = Locked<Result<JSONSchema, JSONSchemaError>?>(nil)

    init(_ source: Value) { self.source = source }

    /// The schema, ready to validate with.
    /// - Throws: The error in the schema, on every access.
    var compiled: JSONSchema {
        get throws(JSONSchemaError) {
            try result.withLock { result in
                let known = result ?? Result { () throws(JSONSchemaError) in try JSONSchema(source) }
                result = known
                return known
            }.get()
        }
    }
}
