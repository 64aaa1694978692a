/// Why a schema cannot be used.
public struct JSONSchemaError: Error, Sendable, Hashable {
    /// The path in the schema.
    public let schema: JSONPointer
    /// What is wrong, in one sentence without a full stop.
    public let message: String
    /// Advice, if there is any.
    public let hint: String?

    /// Creates an error.
    public init(schema: JSONPointer, message: String, hint: String? = nil) {
        self.schema = schema
        self.message = message
        self.hint = hint
    }
}

extension JSONSchemaError: CustomStringConvertible {
    /// The path and the message.
    public var description: String {
        "#\(schema): \(message)" + (hint.map { " (\($0))" } ?? "")
    }
}
