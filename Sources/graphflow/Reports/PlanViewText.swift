/// The first part of a plan: the effects, the permissions, and whether it is complete.
struct PlanViewText {
    private let view: PlanView
    private let style: PlanStyle

    init(_ view: PlanView, _ style: PlanStyle) { (self.view, self.style) = (view, style) }

    /// A saved plan, without a final line break.
    var text: String {
        let title = style.bold("Plan of \(view.title)")
        let made = PlainText.escaped(view.plan["plannedAt"]?.string ?? "")
        return [
            "\(title), made at \(made): \(view.origin). A run would do this:", effects, questions, failures,
            permissions, completeness,
        ].compactMap(\.self).joined(separator: "\n\n")
    }

    /// Where the run waits for a person; nil if it does not.
    var questions: String? {
        let names = view.questions.map { "'\(PlainText.escaped($0))'" }
        return names.isEmpty
            ? nil : "\(style.bold("Waits")) for a person's approval at \(names.joined(separator: ", "))"
    }

    /// The items that would fail although the run continues; nil if there are none.
    var failures: String? {
        let lines = view.failures.map { failure in
            style.warning(
                "\(failure.count) of \(failure.total) items of '\(PlainText.escaped(failure.task))' would fail")
                + ": \(PlainText.line(failure.reason, limit: 300))"
        }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    var effects: String {
        EffectLines(view.effects).paragraph(
            style, ifNone: view.items.isEmpty ? "none, it only reads" : "none, the runs only read")
    }

    var permissions: String {
        func words(_ names: [String]) -> String {
            if names.isEmpty { return view.permissions("unknown").isEmpty ? "none" : "none that are known" }
            return PlainText.escaped(names.joined(separator: ", "))
        }
        let (delegated, application) = (view.permissions("delegated"), view.permissions("application"))
        var lines = ["\(style.bold("Permissions")): \(words(delegated))"]
        if application != delegated { lines.append("  as an application: \(words(application))") }
        lines += view.permissions("unknown").map { "  " + style.mark("not known for \(PlainText.escaped($0))") }
        return lines.joined(separator: "\n")
    }

    var completeness: String {
        guard !view.isComplete else { return "This plan is complete: a run makes no other request." }
        let reasons = view.gaps.map { PlainText.line($0, limit: 300) }.joined(separator: "; ")
        return style.warning("This plan is not complete: \(reasons)")
    }
}
