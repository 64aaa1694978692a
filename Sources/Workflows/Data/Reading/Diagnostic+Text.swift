extension Diagnostic {
    private static let width = 120

    /// The diagnostic as shown in a terminal: position and message, the source line, a caret under it, and the hint.
    ///
    /// - Parameter colour: Whether to use escape sequences for colour.
    public func text(colour: Bool = false) -> String {
        func paint(_ text: String, _ code: String) -> String { colour ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
        var place = file.map { PlainText.escaped($0) + ":" } ?? ""
        // A diagnostic about a whole file gets its first position, for tools that parse positions.
        if file != nil || range != nil { place += "\(range?.start.line ?? 1):\(range?.start.column ?? 1):" }
        var lines = [
            [
                place.isEmpty ? nil : paint(place, "1"),
                paint("\(severity.rawValue):", severity == .error ? "1;31" : "1;35"),
                paint(PlainText.escaped(message), "1"),
            ].compactMap(\.self).joined(separator: " ")
        ]
        if let range, let sourceLine {
            let (shown, marker) = Self.excerpt(of: sourceLine, range)
            lines.append(shown)
            lines.append(paint(marker, "1;32"))
        }
        if let hint { lines.append(paint("hint:", "1;36") + " " + PlainText.escaped(hint)) }
        // White space at the end of a line is invisible and has no meaning.
        return lines.map { line in String(line.reversed().drop { $0 == " " || $0 == "\t" }.reversed()) }
            .joined(separator: "\n")
    }

    private static func excerpt(of line: String, _ range: SourceRange) -> (shown: String, marker: String) {
        var characters = Array(line.unicodeScalars)
        var start = min(max(range.start.column - 1, 0), characters.count)
        var end = range.end.line == range.start.line ? range.end.column - 1 : characters.count
        end = min(max(end, start + 1), max(characters.count, start + 1))
        var (prefix, suffix) = ("", "")
        if characters.count > width {
            let first = max(0, min(start - width / 2, characters.count - width))
            let last = min(characters.count, first + width)
            (prefix, suffix) = (first > 0 ? "…" : "", last < characters.count ? "…" : "")
            characters = Array(characters[first..<last])
            start -= first
            end = min(end - first, characters.count)
        }
        var marker = prefix.isEmpty ? "" : " "
        for character in characters.prefix(start) {
            marker += String(repeating: " ", count: PlainText.columns(of: character))
        }
        let marked = characters.dropFirst(start).prefix(max(end - start, 0)).reduce(0) {
            $0 + PlainText.columns(of: $1)
        }
        marker += "^" + String(repeating: "~", count: max(0, marked - 1))
        var shown = String.UnicodeScalarView()
        shown.append(contentsOf: characters)
        return (prefix + printable(String(shown)) + suffix, marker)
    }

    /// Without control characters, which could affect the terminal.
    private static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: PlainText.isControl) else { return text }
        // One character for one, so the caret stays below its target.
        var result = String.UnicodeScalarView()
        for character in text.unicodeScalars {
            result.append(character == "\t" ? " " : PlainText.isControl(character) ? "\u{FFFD}" : character)
        }
        return String(result)
    }
}
