public import Promises

/// That a run was interrupted in order, and can be resumed.
public struct RunSuspended: CancellableError, Sendable, Hashable {
    /// The run's id.
    public let run: String

    /// Whether the error stands for a cancellation: it does.
    public var isCancelled: Bool { true }
}
