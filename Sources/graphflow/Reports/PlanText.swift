/// A plan in words: first what happens to whom, at the end whether it is complete.
struct PlanText {
    let view: PlanView
    let style: PlanStyle
    /// Whether a new plan has every task with its requests as well.
    var showsRequests = false

    /// The whole text, without a final line break.
    var text: String {
        let isNew = view.made != nil
        let title =
            style.bold("\(isNew ? "Dry run" : "Plan") of \(view.title)")
            + (isNew ? "" : ", made at \(PlainText.escaped(view.plan["plannedAt"]?.string ?? ""))")
        var paragraphs = [
            "\(title): \(view.origin). A run would do this:", effects, questions, failures, permissions,
        ]
        if let plan = view.made {
            paragraphs.append([requests, time, unclear].compactMap(\.self).joined(separator: "\n"))
            if showsRequests {
                let output = plan.output.json(pretty: true).escapingControls.replacing("\n", with: "\n  ")
                paragraphs += [
                    PlanTaskLines(plan, style).text, "\(style.bold("Output"))\n  \(output)",
                    "\(Drawing.named("…")) stands for a value that only the service knows.",
                ]
            }
        }
        return (paragraphs + [completeness]).compactMap(\.self).joined(separator: "\n\n")
    }

    var effects: String {
        EffectLines(view.effects).paragraph(
            style, ifNone: view.isOfBatch ? "none, the runs only read" : "none, it only reads")
    }

    /// Where the run waits for a person; nil if it does not.
    private var questions: String? {
        let names = view.questions.map { "'\(PlainText.escaped($0))'" }
        return names.isEmpty
            ? nil : "\(style.bold("Waits")) for a person's approval at \(names.joined(separator: ", "))"
    }

    /// The items that would fail although the run continues; nil if there are none.
    private var failures: String? {
        let lines = view.failures.map { failure in
            style.warning(
                "\(failure.count) of \(failure.total) items of '\(PlainText.escaped(failure.task))' would fail")
                + ": \(PlainText.line(failure.reason, limit: 300))"
        }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    var permissions: String {
        func words(_ name: String) -> String { PlainText.escaped(view.permissionWords(name)) }
        var lines = ["\(style.bold("Permissions")): \(words("delegated"))"]
        if view.permissions("application") != view.permissions("delegated") {
            lines.append("  as an application: \(words("application"))")
        }
        lines += view.permissions("unknown").map { "  " + style.mark("not known for \(PlainText.escaped($0))") }
        guard view.isNew else { return lines.joined(separator: "\n") }
        if view.knowsMissingPermissions {
            lines.append(
                view.permissions("missing").isEmpty
                    ? "  the token has all of them"
                    : "  " + style.warning("missing from the token: \(words("missing"))"))
        } else if view.plan["mode"] == "read", !view.permissions("delegated").isEmpty {
            lines.append("  the permissions of the token are not known")
        }
        return lines.joined(separator: "\n")
    }

    private var requests: String {
        let loads = (view.made?.summary.loads ?? []).map { "\($0.requests) to \(PlainText.escaped($0.service))" }
        return "\(style.bold("Requests")): \(loads.isEmpty ? "none" : loads.joined(separator: ", "))"
    }

    private var time: String {
        var parts: [String] = []
        if let shortest = view.made?.summary.shortestTime, shortest > .zero {
            parts.append("\(shortest.words) of waiting")
        }
        if let limited = view.made?.timeAtLimits, limited > .seconds(1) {
            parts.append("\(limited.words) at the rate that the service allows")
        }
        return "\(style.bold("Time")): \(parts.isEmpty ? "that of its requests" : parts.joined(separator: ", and "))"
    }

    private var unclear: String? {
        let unclear = view.made?.summary.unclear ?? []
        guard !unclear.isEmpty else { return nil }
        let names = view.tasks.filter { unclear.contains($0["number"]?.string ?? "") }
            .map { "'\(PlainText.escaped($0["name"]?.string ?? ""))'" }
        return "\(style.bold("Without an answer")) it is unknown whether \(names.joined(separator: ", ")) happened: "
            + "the run ends with status 4 and says what to check"
    }

    var completeness: String {
        guard !view.isComplete else {
            return "This plan is complete: \(view.isOfBatch ? "the runs make" : "a run makes") no other request."
        }
        let reasons = view.gaps.map { PlainText.line($0, limit: 300) }.joined(separator: "; ")
        return style.warning("This plan is not complete: \(reasons)")
    }
}

/// The colours of a plan's text, if any; coloured text has no other control characters.
struct PlanStyle {
    let hasColour: Bool

    func bold(_ text: String) -> String { coloured(text, "1") }
    func strong(_ text: String) -> String { coloured(text, "36") }
    /// Text that readers can skip.
    func dim(_ text: String) -> String { coloured(text, "2") }
    func mark(_ text: String) -> String { coloured(text, "33") }
    func warning(_ text: String) -> String { coloured(text, "31") }

    private func coloured(_ text: String, _ code: String) -> String {
        let text = PlainText.escaped(text)
        return hasColour ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
