/// Makes text from a server safe to show: it may contain anything, even terminal control sequences.
package enum PlainText {
    /// The text on one line without control characters, truncated if it is long.
    package static func line(_ text: String, limit: Int = 500) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        if isPlain, text.utf8.count <= limit, text.utf8.last != UInt8(ascii: " ") { return text }
        var line = ""
        var count = 0
        for scalar in text.unicodeScalars {
            guard count < limit else { return line + "…" }
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .format, .surrogate, .privateUse, .unassigned:
                guard line.last != " ", !line.isEmpty else { continue }
                line.append(" ")
            default: line.unicodeScalars.append(scalar)
            }
            count += 1
        }
        while line.last == " " { line.removeLast() }
        return line
    }

    /// The text with a full stop, unless it already ends like a sentence.
    package static func sentence(_ text: String) -> String {
        guard let last = text.last, !".!?…".contains(last) else { return text }
        return text + "."
    }
}

extension StringProtocol {
    /// The text without the white space of a line at its ends.
    package var trimmed: String { trimming { $0.isWhitespace && !$0.isNewline } }

    /// The text without such characters at its ends.
    package func trimming(_ isDropped: (Character) -> Bool) -> String {
        String(drop(while: isDropped).reversed().drop(while: isDropped).reversed())
    }
}
