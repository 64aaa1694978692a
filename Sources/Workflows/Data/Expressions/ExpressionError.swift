/// An error in an expression or in its evaluation.
public struct ExpressionError: Error, Sendable, Hashable {
    /// What is wrong, in jq's words if jq has a message for it.
    public var message: String
    /// The offset in the expression's source, in Unicode scalars; nil if unknown.
    public var offset: Int?
    /// The argument of `error(x)`, which `catch` receives; nil for every other error.
    public var value: Value?

    package var hint: String?

    /// Creates an error.
    public init(_ message: String, offset: Int? = nil, value: Value? = nil) {
        self.message = message
        self.offset = offset
        self.value = value
    }
}

extension ExpressionError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}

extension ExpressionError {
    var caught: Value { value ?? .string(message) }
}
