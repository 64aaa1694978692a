/// Why a file of secrets is not used, in words that show nothing of what is in it.
public struct SecretStoreError: Error, Sendable, Hashable {
    /// What is wrong, in one sentence without a full stop.
    public let message: String
    /// What to do about it, where there is something to say.
    public let hint: String?

    init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}

extension SecretStoreError: CustomStringConvertible {
    /// What is wrong, and what to do about it.
    public var description: String { hint.map { "\(message) (\($0))" } ?? message }
}
