/// A plan in Markdown, for a pull request or a message.
struct PlanMarkdown {
    let view: PlanView

    /// The text, without a final line break.
    var text: String {
        var paragraphs = ["# Plan of \(view.heading.markdown)", "Nothing was done yet: \(view.origin)."]
        if view.effects.isEmpty {
            paragraphs.append("The run only reads.")
        } else {
            let totals = EffectTotals(view.effects).words
            if !totals.isEmpty { paragraphs.append("**In all**: \(totals)") }
            let lines = EffectLines(view.effects)
            if let undo = lines.undo { paragraphs.append("**Undo**: \(undo)") }
            paragraphs.append(
                lines.entries.map { entry in
                    let condition = entry.condition.map { " *[\($0.markdown)]*" } ?? ""
                    return "* \(entry.isMarked ? "**!** " : "")\(entry.words.markdown)\(condition)"
                }.joined(separator: "\n"))
        }
        let people = AffectedPerson.all(in: view.effects)
        if !people.isEmpty {
            let rows = people.map { person in
                let what = person.effects.map { view.effects[$0].words(isPast: false).markdown }
                return
                    "| \(person.name.markdown) | \(person.isExternal ? "outside" : "") | \(what.joined(separator: "; ")) |"
            }
            paragraphs.append((["| person | | what |", "|---|---|---|"] + rows).joined(separator: "\n"))
        }
        paragraphs.append("**Permissions**: \(view.permissionWords("delegated"))")
        let unknown = view.permissions("unknown")
        if !unknown.isEmpty {
            paragraphs.append("**Permissions not known for**: \(unknown.map(\.markdown).joined(separator: ", "))")
        }
        paragraphs.append(
            view.isComplete
                ? "This plan is complete: a run makes no other request."
                : "This plan is not complete: \(view.gaps.map(\.markdown).joined(separator: "; "))")
        return paragraphs.joined(separator: "\n\n")
    }
}

/// A run or a batch in Markdown, for a pull request or a message.
struct RunMarkdown {
    /// The number of effects that are listed.
    private static let mostEffects = 100

    let title: String
    let facts: [RunFact]
    let effects: [AccountedEffect]
    /// How it continues: lines that begin with spaces are commands.
    let rest: [String]

    /// The text, without a final line break.
    var text: String {
        var lines = effects.prefix(Self.mostEffects).map { accounted in
            let state = accounted.state == .done ? "" : "**\(accounted.state.rawValue)** "
            return "* \(state)\(accounted.summary.markdown), \(accounted.at.formatted(.iso8601))"
        }
        if effects.count > lines.count { lines.append("* and \(effects.count - lines.count) more") }
        let totals = EffectTotals.words(effects)
        return [
            "# \(title.markdown)",
            facts.map { "* **\($0.name)**: \(PlainText.line($0.words, limit: 500).markdown)" }.joined(separator: "\n"),
            effects.isEmpty ? "No effects." : totals.isEmpty ? "" : "**In all**: \(totals)",
            lines.joined(separator: "\n"), rest.filter { !$0.hasPrefix(" ") }.joined(separator: " ").markdown.trimmed,
            rest.filter { $0.hasPrefix(" ") }.map { "* \($0.trimmed.markdown)" }.joined(separator: "\n"),
        ].filter { !$0.isEmpty }.joined(separator: "\n\n")
    }
}

/// A fact about a run or a batch, in words.
typealias RunFact = (name: String, words: String)

extension String {
    /// The text on one line, without markup.
    fileprivate var markdown: String {
        var line = ""
        for character in PlainText.escaped(self) {
            if "\\`*_{}[]<>()#+!|~@&".contains(character) { line.append("\\") }
            line.append(character)
        }
        return line
    }
}
