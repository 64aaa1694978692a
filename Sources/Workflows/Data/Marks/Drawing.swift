/// How marked values are shown to people: `‹upload.id›`, `‹secrets.key›`.
///
/// Only this file has the marks around drawings. They are written and never read: an outside text that contains them is
/// shown with each mark inside extra marks, so it cannot be confused with a drawing.
package enum Drawing {
    private static let opening: Character = "‹"
    private static let closing: Character = "›"

    /// How the drawing of a secret begins.
    package static let secretsMark = "\(opening)secrets."

    package static func named(_ name: some StringProtocol) -> String { "\(opening)\(name)\(closing)" }

    package static func of(_ unknown: Unknown) -> String { named(name(unknown.name)) }

    package static func of(_ secret: Confidential) -> String {
        named(secret.names.map { "secrets.\(name($0))" }.joined(separator: "+"))
    }

    package static func text(_ text: String) -> String {
        guard text.utf8.contains(0xe2) else { return text }
        var drawn = ""
        for character in text.unicodeScalars {
            if isMark(character) {
                drawn += named(String(Character(character)))
            } else {
                drawn.unicodeScalars.append(character)
            }
        }
        return drawn
    }

    package static func name(_ text: some StringProtocol) -> String {
        var name = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { name.append(isMark(scalar) || scalar.value < 0x20 ? "_" : scalar) }
        return String(name)
    }

    package static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        scalar == opening.unicodeScalars.first || scalar == closing.unicodeScalars.first
    }
}

extension Value {
    /// The data as shown to people, with drawings for marked values.
    /// - Parameter isBesideDrawings: Whether marks in plain texts are drawn as well, to distinguish them.
    package func drawn(isBesideDrawings: Bool = true) -> Value {
        switch self {
        case .null, .bool, .integer, .double: return self
        case .string(let text): return isBesideDrawings ? .string(Drawing.text(text)) : self
        case .array(let elements): return .array(elements.map { $0.drawn(isBesideDrawings: isBesideDrawings) })
        case .object(let members):
            return .object(
                Object(
                    members.map { name, value in
                        (
                            isBesideDrawings ? Drawing.text(name) : name,
                            value.drawn(isBesideDrawings: isBesideDrawings)
                        )
                    }))
        case .marked(let marked): return marked.drawn
        }
    }

    package static func drawn(_ parts: some Sequence<TextPart>) -> String {
        parts.map { part in
            switch part {
            case .plain(let text): Drawing.text(text)
            case .unknown(let unknown): Drawing.of(unknown)
            case .secret(let secret): Drawing.of(secret)
            }
        }.joined()
    }
}

extension Marked {
    package var drawn: Value {
        guard case .unknown(let unknown) = content else { return .string(Value.drawn(parts)) }
        switch unknown.shape {
        case .object(let members): return Value.object(members).drawn()
        case .array(let element): return [element.drawn()]
        case .any, .text, .number, .boolean: return .string(Drawing.of(unknown))
        }
    }
}

extension Marked: CustomStringConvertible, CustomReflectable {
    /// The drawing as JSON.
    public var description: String { drawn.json() }

    /// A mirror without children, so `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
