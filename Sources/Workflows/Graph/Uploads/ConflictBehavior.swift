/// What happens to an upload where there is a file of that name already.
public enum ConflictBehavior: String, Sendable, Hashable, CaseIterable {
    /// The upload fails.
    case fail
    /// The upload takes the file's place.
    case replace
    /// The upload gets another name, such as `me 1.jpg`.
    case rename

    /// What an upload of that kind does: only replacing can be repeated without a difference.
    package var effect: Effect { self == .replace ? .idempotent : .once }
}
