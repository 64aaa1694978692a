/// An error that may be a cancellation instead of a failure.
public protocol CancellableError: Error {
    /// Whether the error is a cancellation.
    var isCancelled: Bool { get }
}

extension Error {
    /// Whether the error is a cancellation: of a promise, of a task, of a URL request or by the user.
    public var isCancelled: Bool {
        if let error = self as? any CancellableError { return error.isCancelled }
        if self is CancellationError { return true }
        switch (_domain, _code) {
        case ("NSURLErrorDomain", -999), ("NSCocoaErrorDomain", 3072): return true
        default: return false
        }
    }
}

/// Which errors a `catch` or `recover` is called for.
public enum CatchPolicy: Sendable {
    /// All errors.
    case allErrors
    /// All errors except those whose `isCancelled` is true.
    case allErrorsExceptCancellation
}
