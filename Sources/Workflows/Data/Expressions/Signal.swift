/// How an evaluation ends before its end.
enum Signal: Error, Sendable {
    /// An error that `try` catches.
    indirect case error(ExpressionError)
    /// The budget is used up: no `try` catches that.
    indirect case exhausted(ExpressionError)
    /// `break`, or a consumer that has seen enough: the number names the place to leave.
    case leave(Int)
    /// The thread's stack is too small for this evaluation: it starts again on a larger one.
    case stackTooSmall

    /// An error that `try` catches, with its message.
    static func failure(_ message: String) -> Signal { .error(ExpressionError(message)) }
}
