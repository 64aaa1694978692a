/// A text that must not be exposed by accident: a client secret, a refresh token, a device code, a verifier.
///
/// Printing, dumping, reflecting or describing it shows a drawing, interpolating it causes a warning, and it cannot be
/// encoded. Code that needs the text must ask for it by name.
public struct Secret: Sendable, Hashable {
    package let revealed: String

    /// Creates a secret from its text.
    public init(_ text: String) { revealed = text }

    /// Whether there is no text.
    public var isEmpty: Bool { revealed.isEmpty }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A drawing, never the text.
    public var description: String { Drawing.named("secret") }

    /// A drawing, never the text.
    public var debugDescription: String { description }

    /// A mirror without children, so `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

extension String.StringInterpolation {
    /// Writes the drawing, with a warning, because interpolating a secret is always a mistake.
    @available(*, deprecated, message: "a secret must not be written into a string")
    public mutating func appendInterpolation(_ secret: Secret) {
        appendLiteral(secret.description)
    }
}
