/// The JSON Schema of a function's input, made when it is first asked for, and compiled once, at the first call.
final class FunctionInputSchema: Sendable {
    private let make: @Sendable () -> Value
    /// The schemas of arguments whose expressions can return more than a file writes.
    private let evaluated: Object
    private let made = Locked<Value?>(nil)
    private let result = Locked<Result<JSONSchema, JSONSchemaError>?>(nil)

    init(evaluated: Object, _ make: @escaping @Sendable () -> Value) { (self.make, self.evaluated) = (make, evaluated) }

    /// The schema of `with` as a file writes it.
    var source: Value {
        made.withLock { made in
            let source = made ?? make()
            made = source
            return source
        }
    }

    var compiled: JSONSchema {
        get throws(JSONSchemaError) {
            try result.withLock { result in
                let known =
                    result
                    ?? Result { () throws(JSONSchemaError) in
                        try JSONSchema(
                            evaluated.reduce(source) { $0.setting($1.value, at: ["properties", $1.key]) })
                    }
                result = known
                return known
            }.get()
        }
    }
}
