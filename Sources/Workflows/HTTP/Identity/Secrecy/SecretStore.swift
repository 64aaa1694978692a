/// Where a workflow's secrets come from: the environment, a file, or a program's own vault.
///
/// A run asks only for the secrets that its workflow names.
public struct SecretStore: Sendable {
    private static let prefix = "GRAPHFLOW_SECRET_"

    private let find: @Sendable (_ name: String) -> SecretValue?

    /// Creates a store from a lookup by name, which returns nil for an unknown secret.
    public init(_ find: @escaping @Sendable (_ name: String) -> SecretValue?) { self.find = find }

    /// The secret with this name; nil if there is none.
    public subscript(name: String) -> SecretValue? { find(name) }

    /// This store with another one as a fallback.
    public func or(_ other: SecretStore) -> SecretStore { SecretStore { self[$0] ?? other[$0] } }

    /// A store without secrets.
    public static let none = SecretStore { _ in nil }

    /// The secrets in environment variables: `api-key` is in `GRAPHFLOW_SECRET_API_KEY`.
    ///
    /// A value that is a JSON object or array is data, any other a string. An empty one counts as missing.
    public static func environment(
        _ variables: [String: String] = ProcessInfo.processInfo.environment
    ) -> SecretStore {
        SecretStore { name in
            guard let text = variables[variable(for: name)], !text.isEmpty else { return nil }
            return SecretValue(written: text)
        }
    }

    /// Secrets that the program already holds.
    public static func values(_ values: [String: SecretValue]) -> SecretStore { SecretStore { values[$0] } }

    /// The environment variable of a secret: its name in upper case, with `_` for all but letters and digits.
    public static func variable(for name: String) -> String {
        prefix
            + String(
                name.uppercased().map { character in
                    character.isASCII && (character.isLetter || character.isNumber) ? character : "_"
                })
    }
}

/// Why a file of secrets is refused, without showing any of its content.
public struct SecretStoreError: Error, Sendable, Hashable {
    /// What is wrong, in one sentence without a full stop.
    public let message: String
    /// What to do about it, if there is advice.
    public let hint: String?

    init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}

extension SecretStoreError: CustomStringConvertible {
    /// The message and the hint.
    public var description: String { hint.map { "\(message) (\($0))" } ?? message }
}
