/// The source of time for `after`, `timeout` and `attempt`, which tests can replace.
public protocol PromiseClock: Sendable {
    /// The time since a start that the clock chooses; it never decreases.
    var now: Duration { get }

    /// Calls the work once, after the delay, unless it is cancelled first.
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledWork
}

extension PromiseClock where Self == ContinuousPromiseClock {
    /// The clock of the machine.
    public static var continuous: ContinuousPromiseClock { ContinuousPromiseClock() }
}

/// Work that a clock will do, unless it is cancelled first.
public struct ScheduledWork: Sendable {
    private let body: @Sendable () -> Void

    /// Creates a handle; the body must do nothing if the work has already been done.
    public init(cancel body: @escaping @Sendable () -> Void) { self.body = body }

    /// Prevents the work, unless it has already been done.
    public func cancel() { body() }
}
