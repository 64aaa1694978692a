/// A line about a task: a mark, the name in its column, and details.
struct TerminalLine: Sendable, Equatable {
    /// Text and its colour; nil for the terminal's own.
    private struct Part {
        var text: String
        var colour: Int?
    }

    var mark: String
    var colour: Int
    var name: String
    var details: String
    var indentation = 0
    /// The finished share, drawn as a bar after the details; nil for none.
    var share: Double?

    init(_ mark: String, _ colour: Int, _ name: String, _ details: String = "") {
        (self.mark, self.colour, self.name, self.details) = (mark, colour, name, details)
    }

    /// The line cut to so many columns.
    func text(width: Int?, colour: Bool) -> String {
        guard width != nil || colour || share != nil || indentation > 0 else {
            return "\(mark) \(details.isEmpty ? name : Self.padded(name, to: 20) + " " + details)"
        }
        let parts = parts(width: width)
        let columns = Self.columns(of: parts)
        var room = width.map { columns > $0 ? $0 - 1 : $0 } ?? .max
        var line = ""
        for part in parts {
            let isCut = PlainText.columns(of: part.text) > room
            let text = PlainText.cut(part.text, toColumns: room)
            room -= PlainText.columns(of: part.text)
            line += colour && part.colour != nil ? "\u{1B}[\(part.colour ?? 0)m\(text)\u{1B}[0m" : text
            if isCut { return line }
        }
        while line.last == " " { line.removeLast() }
        return line
    }

    private func parts(width: Int?) -> [Part] {
        // Deeper indentation or a wide column of names would leave no room for text.
        let indentation = min(indentation, (width ?? 100) / 4)
        let column = width ?? 100 < 60 ? 8 : 20
        let name = details.isEmpty ? name : Self.padded(name, to: max(1, column - indentation)) + " " + details
        var parts = [
            Part(text: String(repeating: " ", count: indentation)), Part(text: mark, colour: self.colour),
            Part(text: " " + name),
        ]
        let room = min(24, (width ?? 0) - Self.columns(of: parts) - 2)
        guard let share, room >= 6 else { return parts }
        let full = min(room, Int(Double(room) * share))
        parts += [
            Part(text: "  "), Part(text: String(repeating: "█", count: full), colour: 36),
            Part(text: String(repeating: "░", count: room - full), colour: 2),
        ]
        return parts
    }

    private static func columns(of parts: [Part]) -> Int { parts.reduce(0) { $0 + PlainText.columns(of: $1.text) } }

    private static func padded(_ text: String, to columns: Int) -> String {
        text + String(repeating: " ", count: max(0, columns - PlainText.columns(of: text)))
    }
}
