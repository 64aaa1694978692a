/// What is reported through `conf.logHandler`: likely mistakes that would go unnoticed.
public enum LogEvent: Sendable {
    /// `wait()` was called on the place where handlers run.
    case waitOnMainThread(PromiseLocation)
    /// A promise was released while it was pending: nothing can settle it any more.
    case pendingPromiseDeallocated(PromiseLocation)
    /// A guarantee was released while it was pending: nothing can settle it any more.
    case pendingGuaranteeDeallocated(PromiseLocation)
    /// `cauterize()` swallowed this error.
    case cauterized(any Error)
    /// A promise that had been rejected with this error was released before the error was read.
    case unhandledRejection(any Error, PromiseLocation)
}

extension LogEvent: CustomStringConvertible {
    /// One line, with the file and line where the promise was made.
    public var description: String {
        switch self {
        case .waitOnMainThread(let location):
            "Promises: warning: `wait()` called where handlers run, on the promise made at \(location)"
        case .pendingPromiseDeallocated(let location):
            "Promises: warning: pending promise deallocated, made at \(location)"
        case .pendingGuaranteeDeallocated(let location):
            "Promises: warning: pending guarantee deallocated, made at \(location)"
        case .cauterized(let error): "Promises: cauterized error: \(error)"
        case .unhandledRejection(let error, let location):
            "Promises: warning: unhandled rejection of the promise made at \(location): \(error)"
        }
    }
}
