/// Reported through `conf.logHandler`: likely mistakes that would go unnoticed.
public enum LogEvent: Sendable {
    /// `wait()` was called on the main thread, or on the place where handlers run.
    case waitOnMainThread
    /// A promise was released while it was pending: nothing can settle it any more.
    case pendingPromiseDeallocated
    /// A guarantee was released while it was pending: nothing can settle it any more.
    case pendingGuaranteeDeallocated
    /// `cauterize()` swallowed this error.
    case cauterized(any Error)
    /// A promise that had been rejected with this error was released before the error was read.
    case unhandledRejection(any Error)

    func message(at location: PromiseLocation) -> String {
        switch self {
        case .waitOnMainThread:
            "Promises: warning: `wait()` called where handlers run, on the promise made at \(location)"
        case .pendingPromiseDeallocated: "Promises: warning: pending promise deallocated, made at \(location)"
        case .pendingGuaranteeDeallocated: "Promises: warning: pending guarantee deallocated, made at \(location)"
        case .cauterized(let error): "Promises: cauterized error of the promise made at \(location): \(error)"
        case .unhandledRejection(let error):
            "Promises: warning: unhandled rejection of the promise made at \(location): \(error)"
        }
    }
}
