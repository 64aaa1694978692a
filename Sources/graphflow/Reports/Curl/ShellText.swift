extension String {
    /// The text as a quoted shell word; printf writes the control characters in it.
    var shellQuoted: String {
        func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
        let isMade = { PlainText.isControl($0) && $0 != "\n" }
        guard unicodeScalars.contains(where: isMade) else { return quoted(self) }
        var (word, plain) = ("", "")
        for scalar in unicodeScalars {
            guard isMade(scalar) else {
                plain.unicodeScalars.append(scalar)
                continue
            }
            if !plain.isEmpty { word += quoted(plain) }
            plain = ""
            let bytes = String(scalar).utf8.map { "\\" + String(Int($0) + 512, radix: 8).dropFirst() }
            word += "\"$(printf '\(bytes.joined())')\""
        }
        return plain.isEmpty ? word : word + quoted(plain)
    }

    /// The text on one line, safe in a shell comment.
    var shellComment: String { PlainText.line(self, limit: 300) }
}

extension [TextPart] {
    var unknowns: [Unknown] {
        compactMap { part in if case .unknown(let unknown) = part { unknown } else { nil } }
    }
}
