public import Foundation

/// Where a workflow's secrets come from: the environment, a file, or a program's own vault.
///
/// A run asks for the secrets that its workflow names, and for no others.
public struct SecretStore: Sendable {
    /// What the environment's variables begin with.
    private static let prefix = "GRAPHFLOW_SECRET_"

    private let find: @Sendable (_ name: String) -> SecretValue?

    /// Creates a store from how it finds a secret by its name; nil where it has none of that name.
    public init(_ find: @escaping @Sendable (_ name: String) -> SecretValue?) { self.find = find }

    /// The secret of that name; nil where there is none.
    public subscript(name: String) -> SecretValue? { find(name) }

    /// This store, and another one for the secrets that this one lacks.
    public func or(_ other: SecretStore) -> SecretStore { SecretStore { self[$0] ?? other[$0] } }

    /// A store without secrets.
    public static let none = SecretStore { _ in nil }

    /// The secrets in environment variables: `api-key` is in `GRAPHFLOW_SECRET_API_KEY`.
    ///
    /// A value that is a JSON object or array is data, anything else a text. An empty one counts as missing.
    public static func environment(
        _ variables: [String: String] = ProcessInfo.processInfo.environment
    ) -> SecretStore {
        SecretStore { name in
            guard let text = variables[variable(for: name)], !text.isEmpty else { return nil }
            return SecretValue(written: text)
        }
    }

    /// Secrets that a program holds already.
    public static func values(_ values: [String: SecretValue]) -> SecretStore { SecretStore { values[$0] } }

    /// The environment variable that holds a secret: its name in upper case, with `_` for what is no letter or digit.
    public static func variable(for name: String) -> String {
        prefix
            + String(
                name.uppercased().map { character in
                    character.isASCII && (character.isLetter || character.isNumber) ? character : "_"
                })
    }
}

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
