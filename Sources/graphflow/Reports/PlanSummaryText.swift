import Essentials
import Workflows

/// The summary of a plan, for people.
struct PlanSummaryText {
    private let plan: Plan
    private let summary: PlanSummary
    private let style: PlanStyle

    init(_ plan: Plan, _ style: PlanStyle) {
        self.plan = plan
        summary = plan.summary
        self.style = style
    }

    var text: String {
        var paragraphs = [effects, permissions, requests, time]
        if let unclear { paragraphs.append(unclear) }
        paragraphs.append(
            "\(style.bold("Output"))\n  \(plan.output.json(pretty: true).escapingControls.replacing("\n", with: "\n  "))"
        )
        paragraphs.append("\(Drawing.named("…")) stands for a value that only the service knows.")
        paragraphs.append(completeness)
        return paragraphs.joined(separator: "\n\n")
    }

    private var completeness: String {
        guard !plan.isComplete else { return "This plan is complete: a run makes no other request." }
        let reasons = plan.gaps.map { PlainText.line($0, limit: 300) }.joined(separator: "; ")
        return style.warning("This plan is not complete: \(reasons)")
    }

    private var effects: String {
        var rows: [(String, String)] = []
        if summary.reads > 0 {
            rows.append(("reads", "\(summary.reads) \(summary.reads == 1 ? "request" : "requests")"))
        }
        for change in summary.changes { rows.append((PlainText.escaped(change.task), words(of: change))) }
        for program in summary.programs { rows.append((PlainText.escaped(program), "runs a program")) }
        return section(style.bold("Effects"), rows, empty: "none")
    }

    private func words(of change: PlanSummary.Change) -> String {
        var words: String
        switch change.target {
        case .file(let path, let replaces, _):
            words = replaces ? "writes \(path)\(existing(change.existing))" : "writes \(path), or under another name"
        case .link(let item, let kind): words = "makes a link (\(kind)) to \(item)"
        case .mail(let recipients, let subject):
            words = "sends mail to \(recipients.joined(separator: ", ")): \(subject)"
        case .change(let change): words = change
        case nil: words = "\(change.function): \(change.request)"
        }
        words = PlainText.escaped(words)
        if change.isOnce { words += "; must happen once" }
        return change.isCertain ? words : "\(words) \(style.mark("[\(change.condition ?? "conditional")]"))"
    }

    private func existing(_ existing: PlannedRequest.Existing?) -> String {
        switch existing {
        case nil: return ", replacing any existing file"
        case .nothing: return ", which does not exist yet"
        case .unknown(let why): return ", replacing any existing file; it is unknown whether there is one: \(why)"
        case .file(let size, let changedAt):
            let facts = [size.map { "\($0) bytes" }, changedAt.map { "changed \($0)" }].compactMap(\.self)
            return ", replacing the existing file (\(facts.joined(separator: ", ")))"
        }
    }

    private var permissions: String {
        func rows(_ needs: [PlanSummary.Need]) -> [(String, String)] {
            needs.map { (PlainText.escaped($0.permission), PlainText.escaped($0.functions.joined(separator: ", "))) }
        }
        var paragraphs = [
            section(style.bold("Permissions needed (delegated)"), rows(summary.delegatedPermissions), empty: "none"),
            section(
                style.bold("Permissions needed (application)"), rows(summary.applicationPermissions), empty: "none"),
        ]
        if let missing = summary.missingPermissions {
            paragraphs.append(
                missing.isEmpty
                    ? "The token has all of them."
                    : section(style.warning("Missing from the token"), rows(missing), empty: ""))
        } else if plan.mode == .read, !summary.delegatedPermissions.isEmpty {
            paragraphs.append("The permissions of the token are unknown.")
        }
        return paragraphs.joined(separator: "\n\n")
    }

    private var requests: String {
        section(
            style.bold("Requests"), summary.loads.map { (PlainText.escaped($0.service), String($0.requests)) },
            empty: "none")
    }

    private var time: String {
        let longest = summary.longestTime.map { "at most \($0.words)" } ?? "no known limit"
        return
            "\(style.bold("Time"))\n  from \(summary.shortestTime.words) of waiting to \(longest), including retries"
    }

    private var unclear: String? {
        guard summary.mayRemainUnclear else { return nil }
        let tasks = PlainText.escaped(summary.unclear.joined(separator: ", "))
        return
            "\(style.bold("Outcome may remain unknown"))\n  \(tasks): without an answer, it is unknown whether it "
            + "happened; the run then ends with status 4 and says what to check"
    }

    /// - Parameter title: In its colour.
    private func section(_ title: String, _ rows: [(String, String)], empty: String) -> String {
        let width = (rows.map(\.0.count).max() ?? 0) + 2
        guard !rows.isEmpty else { return "\(title): \(empty)" }
        return
            ([title]
            + rows.map {
                "  \($0.0.padding(to: width))\($0.1)"
            })
            .joined(separator: "\n")
    }
}
