import Foundation

/// A regular expression with ECMA-262's meaning, as in JSON Schema, found anywhere in the text.
struct SchemaPattern: Sendable {
    /// The expression as written in the schema.
    let text: String
    private let expression: NSRegularExpression

    /// Compiles an expression; nil if it is not valid.
    init?(_ text: String) {
        guard let translated = Self.translate(text),
            let expression = try? NSRegularExpression(pattern: translated)
        else { return nil }
        self.text = text
        self.expression = expression
    }

    func matches(_ text: String) -> Bool {
        expression.firstMatch(in: text, range: NSRange(location: 0, length: text.utf16.count)) != nil
    }

    /// The expression for Foundation's engine, whose `\d`, `$` and brackets match more than ECMA-262's.
    private static func translate(_ text: String) -> String? {
        var result = ""
        var rest = Substring(text)
        var isInSet = false
        while let character = rest.popFirst() {
            switch character {
            case "\\":
                guard let letter = rest.popFirst(), let escape = escape(letter, &rest, isInSet) else { return nil }
                result += escape
            case "[" where !isInSet:
                isInSet = true
                result.append("[")
                if rest.hasPrefix("^") { result.append(rest.removeFirst()) }
                // ECMA-262 allows an empty set, which matches nothing or, negated, everything.
                if rest.hasPrefix("]") {
                    rest.removeFirst()
                    isInSet = false
                    result =
                        String(result.dropLast(result.hasSuffix("[^") ? 2 : 1))
                        + (result.hasSuffix("[^") ? "[\\s\\S]" : "(?!)")
                }
            case "[", "&":
                result += isInSet ? "\\" + String(character) : String(character)
            case "]":
                isInSet = false
                result.append("]")
            case "$" where !isInSet: result += "\\z"
            default: result.append(character)
            }
        }
        return isInSet ? nil : result
    }

    /// An escape sequence; nil if ECMA-262 does not define it.
    private static func escape(_ letter: Character, _ rest: inout Substring, _ isInSet: Bool) -> String? {
        switch letter {
        case "d": return isInSet ? "0-9" : "[0-9]"
        case "D": return "[^0-9]"
        case "w": return isInSet ? "A-Za-z0-9_" : "[A-Za-z0-9_]"
        case "W": return "[^A-Za-z0-9_]"
        case "s", "S":
            let white = "\\t\\n\\x0B\\f\\r \\xA0\\uFEFF\\p{Zs}\\u2028\\u2029"
            return letter == "S" ? "[^\(white)]" : isInSet ? white : "[\(white)]"
        case "b": return isInSet ? "\\x08" : "\\b"
        case "B", "f", "n", "r", "t", "p", "P", "k", "c", "x": return "\\" + String(letter)
        case "v": return "\\x0B"
        case "u":
            guard rest.hasPrefix("{") else { return "\\u" }
            return "\\x"
        case "0": return "\\x00"
        case "1"..."9": return "\\" + String(letter)
        default: return letter.isLetter ? nil : "\\" + String(letter)
        }
    }
}
