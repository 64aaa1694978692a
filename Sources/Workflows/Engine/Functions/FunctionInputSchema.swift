import Promises

/// The JSON Schema of what a function takes, compiled when the function is first called and once for all calls.
final class FunctionInputSchema: Sendable {
    private let source: Value
    private let result = Locked<Result<JSONSchema, JSONSchemaError>?>(nil)

    init(_ source: Value) { self.source = source }

    /// The schema, ready to validate with.
    /// - Throws: What is wrong with it, each time.
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
