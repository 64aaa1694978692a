/// Makes outside text safe to show: it may contain anything, even terminal control sequences.
package enum PlainText {
    /// Whether a character controls a terminal, changes the direction of text or is not seen at all: C0, C1, DEL,
    /// separators, bidirectional, without a width.
    ///
    /// The two joiners are none of them: scripts and emoji are written with them.
    package static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0xAD, 0x061C, 0x180E, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F,
            0xFEFF, 0xFFF9...0xFFFB, 0xFFFE...0xFFFF, 0xE0000...0xE007F:
            true
        default: false
        }
    }

    /// Whether a character has no form of its own: category Cf, and all that Unicode calls default-ignorable.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .format || scalar.properties.isDefaultIgnorableCodePoint
    }

    /// Says of a name or an address that it has a character that is not seen; nil if it has none.
    package static func invisible(in name: String) -> String? {
        name.unicodeScalars.first(where: isInvisible).map {
            "'\(exact(name, limit: 100))' has the invisible character \(code(of: $0))"
        }
    }

    /// The number of a character as Unicode writes it: `U+00A0`.
    package static func code(of scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }

    /// Whether a character looks like a space or like nothing where only a space or a tab is meant.
    package static func looksBlank(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isASCII && (scalar.properties.isWhitespace || isInvisible(scalar))
    }

    /// What to do about ``invisible(in:)``.
    package static let visibly = "delete that character, or type the name again"

    /// Escapes characters that control a terminal as in JSON: `\u001b`, `\t`.
    /// - Parameter keepingLines: Whether line breaks stay; otherwise they are escaped as well.
    package static func escaped(_ text: String, keepingLines: Bool = false) -> String {
        let isEscaped = { isControl($0) && !(keepingLines && $0 == "\n") }
        guard text.unicodeScalars.contains(where: isEscaped) else { return text }
        return escaped(text, where: isEscaped)
    }

    /// Escapes all that is not seen, as in JSON, except blanks: also spaces of other widths and invisible characters.
    ///
    /// Joiners and variation selectors stay after a letter or sign beyond ASCII, where scripts and emoji have them.
    package static func exact(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        var isAfterASCII = true
        return escaped(text) { scalar in
            defer { isAfterASCII = scalar.isASCII }
            return isControl(scalar) || scalar != " " && scalar.properties.isWhitespace
                || isInvisible(scalar) && isAfterASCII
        }
    }

    private static func escaped(_ text: String, where isEscaped: (Unicode.Scalar) -> Bool) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard isEscaped(scalar) else {
                shown.append(scalar)
                continue
            }
            let word =
                switch scalar {
                case "\n": "\\n"
                case "\r": "\\r"
                case "\t": "\\t"
                default: scalar.utf16.map { "\\u" + String(Int($0) + 0x10000, radix: 16).dropFirst() }.joined()
                }
            shown.append(contentsOf: word.unicodeScalars)
        }
        return String(shown)
    }

    /// Escapes characters that control a terminal as in JSON, except line breaks and colours such as `ESC [ 1;31 m`.
    package static func painted(_ text: String) -> String {
        let pieces = text.split(separator: "\u{1B}", omittingEmptySubsequences: false)
        return pieces.enumerated().map { index, piece in
            let code = piece.prefix { $0 == "[" || $0 == ";" || $0.isASCII && $0.isNumber } + "m"
            let isColour = index > 0 && code.first == "[" && piece.hasPrefix(code)
            let begin = isColour ? "\u{1B}\(code)" : index > 0 ? "\\u001b" : ""
            return begin + String(isColour ? piece.dropFirst(code.count) : piece).escapingControls
        }.joined()
    }

    /// The number of terminal columns; in doubt one more rather than one less.
    package static func columns(of text: some StringProtocol) -> Int {
        text.utf8.allSatisfy { $0 < 0x80 }
            ? text.utf8.count : text.unicodeScalars.reduce(0) { $0 + columns(of: $1) }
    }

    package static func columns(of character: Unicode.Scalar) -> Int {
        if character.isASCII { return 1 }
        switch character.properties.generalCategory {
        // The emoji variation selector widens the character before it.
        case .nonspacingMark, .enclosingMark: return character.value == 0xFE0F ? 1 : 0
        // Hidden control characters are replaced by a visible character.
        case .format: return isControl(character) ? 1 : 0
        default: break
        }
        switch character.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default: return character.properties.isEmojiPresentation ? 2 : 1
        }
    }

    /// Adds a full stop, unless the text already ends like a sentence.
    package static func sentence(_ text: String) -> String {
        guard let last = text.last, !".!?…".contains(last) else { return text }
        return text + "."
    }
}

extension String {
    /// The text in which characters that control a terminal are escaped as in JSON, except line breaks.
    package var escapingControls: String {
        utf8.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x0A }
            ? self : PlainText.escaped(self, keepingLines: true)
    }
}

extension StringProtocol {
    /// Without spaces and tabs at its ends.
    package var trimmed: String {
        // Most texts end in ASCII, which needs no decoding.
        let bytes = Substring(self).utf8
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        if let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) }),
            bytes[first] < 0x80, bytes[last] < 0x80
        {
            return String(decoding: bytes[first...last], as: UTF8.self)
        }
        return trimming { $0.isWhitespace && !$0.isNewline }
    }

    package func trimming(_ isDropped: (Character) -> Bool) -> String {
        guard let first = firstIndex(where: { !isDropped($0) }), let last = lastIndex(where: { !isDropped($0) }) else {
            return ""
        }
        return String(self[first...last])
    }
}
