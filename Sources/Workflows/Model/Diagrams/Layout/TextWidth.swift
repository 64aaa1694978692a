/// An upper estimate of a text's width in any sans-serif font.
enum TextWidth {
    static func of(_ text: String, size: Double, isBold: Bool = false) -> Double {
        text.reduce(0) { $0 + width(of: $1) } * size * (isBold ? 1.08 : 1)
    }

    static func shortened(_ text: String, to width: Double, size: Double, isBold: Bool = false) -> String {
        let line = PlainText.line(text, limit: 10_000)
        guard of(line, size: size, isBold: isBold) > width else { return line }
        let room = width / size / (isBold ? 1.08 : 1) - self.width(of: "…")
        var used = 0.0
        let kept = line.prefix { character in
            used += self.width(of: character)
            return used <= room
        }
        return kept.trimmingTrailingSpace + "…"
    }

    /// In parts of the font's size; characters that are not Latin count as wide as ideographs.
    private static func width(of character: Character) -> Double {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar {
        case "i", "j", "l", "I", ".", ",", ":", ";", "|", "!", "'", " ", "(", ")", "[", "]", "·": return 0.4
        case "f", "t", "r", "-", "/", "\\", "\"", "{", "}": return 0.46
        case "m", "w", "M", "W", "@", "%", "…", "—", "↻": return 1.02
        case "A"..."Z", "&", "=", "+", "<", ">", "~", "#", "$", "_": return 0.78
        default: return scalar.value < 0x590 ? 0.64 : 1.1
        }
    }
}

extension Substring {
    fileprivate var trimmingTrailingSpace: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
