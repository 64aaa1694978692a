/// Work that a clock will do, unless it is cancelled before.
public struct ScheduledWork: Sendable {
    private let body: @Sendable () -> Void

    /// Creates a handle; the body must do nothing when the work has been done already.
    public init(cancel body: @escaping @Sendable () -> Void) { self.body = body }

    /// Sees to it that the work is not done, unless it has been already.
    public func cancel() { body() }
}
