/// Why a function cannot be performed, known before anything is sent.
public struct FunctionError: Error, Sendable, Hashable {
    /// The problem, in one sentence without a full stop.
    public var message: String
    /// The place in the function's input; nil for the whole input.
    public var pointer: JSONPointer?
    /// What to do about it, if anything.
    public var hint: String?

    /// Creates an error.
    public init(_ message: String, at pointer: JSONPointer? = nil, hint: String? = nil) {
        self.message = message
        self.pointer = pointer
        self.hint = hint
    }

    /// The error with a place, if it has none yet.
    package func at(_ pointer: JSONPointer) -> FunctionError {
        FunctionError(message, at: self.pointer ?? pointer, hint: hint)
    }
}

extension FunctionError: CustomStringConvertible {
    /// The message with the place and the hint.
    public var description: String {
        let place = pointer.map { $0 == .root ? "" : "\($0): " } ?? ""
        return place + message + (hint.map { " (\($0))" } ?? "")
    }
}

extension FunctionError: ProblemConvertible {
    /// The error as the standard's validation error.
    public var problem: Object {
        [
            "type": .string(ProblemType.validation.uri), "status": 400, "title": "Invalid input",
            "detail": .string(description),
        ]
    }
}
