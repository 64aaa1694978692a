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

    /// The effects, the permissions, what remains open, and whether the plan is complete; with the output for those who
    /// see every request.
    func text(withOutput hasOutput: Bool) -> String {
        var paragraphs = [effects, permissions]
        paragraphs.append([requests, time, unclear].compactMap(\.self).joined(separator: "\n"))
        if hasOutput {
            let output = plan.output.json(pretty: true).escapingControls.replacing("\n", with: "\n  ")
            paragraphs.append("\(style.bold("Output"))\n  \(output)")
            paragraphs.append("\(Drawing.named("…")) stands for a value that only the service knows.")
        }
        paragraphs.append(completeness)
        return paragraphs.joined(separator: "\n\n")
    }

    private var completeness: String {
        guard !plan.isComplete else { return "This plan is complete: a run makes no other request." }
        let reasons = plan.gaps.map { PlainText.line($0, limit: 300) }.joined(separator: "; ")
        return style.warning("This plan is not complete: \(reasons)")
    }

    private var effects: String {
        let effects = plan.effects
        guard !effects.isEmpty else { return "\(style.bold("Effects")): none, it only reads" }
        let lines = [style.bold("Effects")] + EffectLines(effects, style).lines
        return (lines + ["  \(style.dim("In all: \(EffectTotals(effects).words)"))"]).joined(separator: "\n")
    }

    private var permissions: String {
        func words(_ needs: [PlanSummary.Need]) -> String {
            let names = needs.map { PlainText.escaped($0.permission) }.joined(separator: ", ")
            return needs.isEmpty && summary.unknownNeeds.isEmpty ? "none" : names
        }
        let (delegated, application) = (words(summary.delegatedPermissions), words(summary.applicationPermissions))
        var lines = ["\(style.bold("Permissions")): \(delegated)"]
        if application != delegated { lines.append("  as an application: \(application)") }
        for request in summary.unknownNeeds {
            lines.append("  " + style.mark("not known for \(PlainText.escaped(request))"))
        }
        if let missing = summary.missingPermissions {
            lines.append(
                missing.isEmpty
                    ? "  the token has all of them"
                    : "  " + style.warning("missing from the token: \(words(missing))"))
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
