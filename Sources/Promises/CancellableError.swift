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
        // On Linux it is a plain structure, whose module this one does not need.
        case ("FoundationEssentials.CocoaError", _):
            return Mirror(reflecting: self).descendant("code", "rawValue") as? Int == 3072
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

/// Registered by `Resolver.onCancel`: a link in a promise's list that cancelling the promise calls.
final class CancellationHandler: Link {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void, _ origin: Origin) {
        self.body = body
        // Once the promise is settled, nothing is left to cancel.
        unsafe super.init({ _, _, _ in false }, PlaceNumber.inline, origin, traits: Trait.bystander)
    }

    func cancel() {
        if claim() { body() }
    }
}
