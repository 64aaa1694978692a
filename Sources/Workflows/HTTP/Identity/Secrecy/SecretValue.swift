/// The content of a secret: a string, or several named strings, such as a user name and a password.
///
/// Printing, dumping or describing it shows a drawing, as for ``Secret``.
public struct SecretValue: Sendable {
    package let revealed: Value

    /// Creates a secret that is one string.
    public init(_ text: String) { revealed = .string(text) }

    /// Creates a secret from data; the strings and numbers in it are secret, the names are not.
    public init(_ data: Value) { revealed = data }

    /// Creates a secret from written text: a JSON object or array is data, anything else a string.
    public init(written text: String) {
        let first = text.first { !$0.isWhitespace }
        guard first == "{" || first == "[", let data = try? Value(json: text) else {
            self.init(text)
            return
        }
        self.init(data)
    }
}

extension SecretValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A drawing, never the data.
    public var description: String { Drawing.named("secret") }

    /// A drawing, never the data.
    public var debugDescription: String { description }

    /// A mirror without children, so `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
