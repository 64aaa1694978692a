/// The JSON Schema of a function's input, compiled once, at the first call.
final class FunctionInputSchema: Sendable {
    private let source: Value
    private let result = Locked<Result<JSONSchema, JSONSchemaError>?>(nil)

    init(_ source: Value) { self.source = source }

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
