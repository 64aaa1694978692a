/// The effect of a request or a function on the outside world, which decides whether it may be repeated.
public enum Idempotency: String, Sendable, Hashable, CaseIterable {
    /// Changes nothing.
    case read
    /// Doing it twice equals doing it once.
    case idempotent
    /// Must not happen twice, so it is never repeated after an ambiguous failure.
    case once

    /// The severity; the strongest of several effects is reported.
    package var strength: Int {
        switch self {
        case .read: 0
        case .idempotent: 1
        case .once: 2
        }
    }
}
