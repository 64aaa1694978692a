struct PlanSummaryText {
    private let plan: Plan
    private let summary: PlanSummary
    private let style: PlanStyle
    private let view: PlanViewText

    init(_ plan: Plan, _ style: PlanStyle) {
        self.plan = plan
        summary = plan.summary
        self.style = style
        view = PlanViewText(PlanView(plan.value), style)
    }

    /// The effects, the permissions, the open questions, and whether the plan is complete; with the output if every
    /// request is shown.
    func text(withOutput hasOutput: Bool) -> String {
        var paragraphs = [view.effects, view.questions, view.failures, permissions].compactMap(\.self)
        paragraphs.append([requests, time, unclear].compactMap(\.self).joined(separator: "\n"))
        if hasOutput {
            let output = plan.output.json(pretty: true).escapingControls.replacing("\n", with: "\n  ")
            paragraphs.append("\(style.bold("Output"))\n  \(output)")
            paragraphs.append("\(Drawing.named("…")) stands for a value that only the service knows.")
        }
        paragraphs.append(view.completeness)
        return paragraphs.joined(separator: "\n\n")
    }

    private var permissions: String {
        var lines = [view.permissions]
        if let missing = summary.missingPermissions?.map({ PlainText.escaped($0.permission) }) {
            lines.append(
                missing.isEmpty
                    ? "  the token has all of them"
                    : "  " + style.warning("missing from the token: \(missing.joined(separator: ", "))"))
        } else if plan.mode == .read, !summary.delegatedPermissions.isEmpty {
            lines.append("  the permissions of the token are not known")
        }
        return lines.joined(separator: "\n")
    }

    private var requests: String {
        let loads = summary.loads.map { "\($0.requests) to \(PlainText.escaped($0.service))" }
        return "\(style.bold("Requests")): \(loads.isEmpty ? "none" : loads.joined(separator: ", "))"
    }

    private var time: String {
        var parts: [String] = []
        if summary.shortestTime > .zero { parts.append("\(summary.shortestTime.words) of waiting") }
        if let limited = plan.timeAtLimits, limited > .seconds(1) {
            parts.append("\(limited.words) at the rate that the service allows")
        }
        return "\(style.bold("Time")): \(parts.isEmpty ? "that of its requests" : parts.joined(separator: ", and "))"
    }

    private var unclear: String? {
        guard summary.mayRemainUnclear else { return nil }
        let names = plan.allTasks.filter { summary.unclear.contains($0.number) }.map { "'\($0.name)'" }
        let tasks = PlainText.escaped(names.joined(separator: ", "))
        return "\(style.bold("Without an answer")) it is unknown whether \(tasks) happened: the run ends with status 4 "
            + "and says what to check"
    }
}
