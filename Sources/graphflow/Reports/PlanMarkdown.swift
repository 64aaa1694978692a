/// A plan in Markdown, for a pull request or a message.
struct PlanMarkdown {
    let view: PlanView

    /// The text, without a final line break.
    var text: String {
        var paragraphs = ["# Plan of \(Self.line(view.title))", "Nothing was done yet: \(view.origin)."]
        if view.effects.isEmpty {
            paragraphs.append("The run only reads.")
        } else {
            let totals = EffectTotals(view.effects).words
            if !totals.isEmpty { paragraphs.append("**In all**: \(totals)") }
            let lines = EffectLines(view.effects)
            if let undo = lines.undo { paragraphs.append("**Undo**: \(undo)") }
            paragraphs.append(
                lines.entries.map { entry in
                    let condition = entry.condition.map { " *[\(Self.line($0))]*" } ?? ""
                    return "* \(entry.isMarked ? "**!** " : "")\(Self.line(entry.words))\(condition)"
                }.joined(separator: "\n"))
        }
        let people = view.people
        if !people.isEmpty {
            let rows = people.map { person in
                let subjects = person.effects.map { Self.line($0["subject"].string ?? "?") }.joined(separator: "; ")
                return "| \(Self.line(person.address)) | \(person.isExternal ? "outside" : "") | \(subjects) |"
            }
            paragraphs.append((["| person | | mails and events |", "|---|---|---|"] + rows).joined(separator: "\n"))
        }
        let permissions = view.permissions("delegated")
        paragraphs.append("**Permissions**: \(permissions.isEmpty ? "none" : permissions.joined(separator: ", "))")
        let unknown = view.permissions("unknown")
        if !unknown.isEmpty {
            paragraphs.append("**Permissions not known for**: \(unknown.map(Self.line).joined(separator: ", "))")
        }
        paragraphs.append(
            view.isComplete
                ? "This plan is complete: a run makes no other request."
                : "This plan is not complete: \(view.gaps.map(Self.line).joined(separator: "; "))")
        return paragraphs.joined(separator: "\n\n")
    }

    /// A text on one line, without markup.
    private static func line(_ text: String) -> String {
        var line = ""
        for character in PlainText.escaped(text) {
            if "\\`*_{}[]<>()#+!|~@&".contains(character) { line.append("\\") }
            line.append(character)
        }
        return line
    }
}
