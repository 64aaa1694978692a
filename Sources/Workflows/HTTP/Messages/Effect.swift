/// What a request or a function does to the world, which decides whether it may be repeated.
public enum Effect: String, Sendable, Hashable, CaseIterable {
    /// Changes nothing.
    case read
    /// Doing it twice equals doing it once.
    case idempotent
    /// Must not happen twice, and is never repeated after an ambiguous failure.
    case once

    /// How much there is to lose by it: the strongest effect of several is the one to tell of.
    package var strength: Int {
        switch self {
        case .read: 0
        case .idempotent: 1
        case .once: 2
        }
    }
}
