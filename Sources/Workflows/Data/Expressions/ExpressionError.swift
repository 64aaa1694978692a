/// What is wrong with an expression, or what went wrong while it was evaluated.
public struct ExpressionError: Error, Sendable, Hashable {
    /// What is wrong, in the words that jq uses where jq has any.
    public var message: String
    /// The place in the expression's source, in Unicode scalars from its start; nil where it is not known.
    public var offset: Int?
    /// What `error(x)` was given, which `catch` receives; nil for every other error.
    public var value: Value?

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
    /// What `catch` receives.
    var caught: Value { value ?? .string(message) }
}
