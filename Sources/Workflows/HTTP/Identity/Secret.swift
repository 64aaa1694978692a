/// A text that nobody may read by accident: a client secret, a refresh token, a device code, a verifier.
///
/// It has no representation: printing, dumping, reflecting or describing it shows a placeholder, writing it into a string
/// is warned about, and it cannot be encoded. Whoever needs the text says so, by name.
public struct Secret: Sendable, Hashable {
    /// The text itself, for where it belongs: a request's body or header, the token cache, another program's input.
    package let revealed: String

    /// Creates a secret from its text.
    public init(_ text: String) { revealed = text }

    /// Whether there is no text.
    public var isEmpty: Bool { revealed.isEmpty }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder, never the text.
    public var description: String { "‹secret›" }

    /// A placeholder, never the text.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

extension String.StringInterpolation {
    /// Writes the placeholder, and warns: whoever writes a secret into a text means something else.
    @available(*, deprecated, message: "a secret does not belong into a text")
    public mutating func appendInterpolation(_ secret: Secret) {
        appendLiteral(secret.description)
    }
}
