/// Makes text of a server fit to be shown: it may hold anything, also what a terminal would obey.
package enum PlainText {
    /// The text as one line without control characters, cut where it gets long.
    package static func line(_ text: String, limit: Int = 500) -> String {
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

    /// The text with a full stop, unless it ends like a sentence already.
    package static func sentence(_ text: String) -> String {
        guard let last = text.last, !".!?…".contains(last) else { return text }
        return text + "."
    }
}
