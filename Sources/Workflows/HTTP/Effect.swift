/// What a request or a function does to the world, which decides whether it may be repeated.
public enum Effect: String, Sendable, Hashable, CaseIterable {
    /// Changes nothing.
    case read
    /// Doing it twice equals doing it once.
    case idempotent
    /// Must not happen twice, and is never repeated after an ambiguous failure.
    case once
}
