/// A plan as one HTML page without scripts, for the person who approves it: what happens to whom.
struct PlanPage {
    /// The number of messages that are shown.
    private static let mostMessages = 50
    /// The number of effects that are listed for each item of a batch.
    private static let mostEffects = 20

    let view: PlanView
    /// The workflow, which is drawn in the page; nil if only the plan is known.
    let workflow: Workflow?

    /// The document.
    var html: String {
        // Messages inherit the policy and may have their own styles. Nothing is loaded, and no script runs.
        let policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
        return PageText.document(
            PageText.text("Plan of \(view.heading)"), policy: policy, style: PageFiles.planStyle,
            "<main>\n\(content)\n</main>")
    }

    /// What the page shows, for other pages.
    var content: String { "\(head)\n\(sections.joined(separator: "\n"))" }

    private var head: String {
        let made = view.plan["plannedAt"]?.string.flatMap { Date(iso8601: $0)?.local } ?? "a time that it does not say"
        let account = view.plan["account"]?["address"]?.string.map { ", for \($0)" } ?? ""
        let planner = view.items.isEmpty ? " \(view.planner)" : ""
        let badge = view.isComplete ? "complete" : "not complete"
        return """
            <div class="head"><h1>Plan of \(PageText.text(view.heading))</h1>
            <span class="badge \(view.isComplete ? "complete" : "partial")">\(badge)</span>
            <p>\(PageText.text("Made at \(made)\(account); \(view.origin).\(planner)"))</p></div>
            """
    }

    private var sections: [String] {
        [effects, people, items, messages, changes, permissions, gaps, requests, drawing].compactMap(\.self)
    }

    private var effects: String {
        guard !view.effects.isEmpty else {
            return PageText.section("What happens", "<p>Nothing: the run only reads.</p>")
        }
        let items = EffectLines(view.effects).entries.map { entry in
            let condition = entry.condition.map { " <span class=\"when\">[\(PageText.text($0))]</span>" } ?? ""
            return "<li\(entry.isMarked ? " class=\"second\"" : "")>\(PageText.text(entry.words))\(condition)</li>"
        }
        return PageText.section(
            "What happens",
            PageText.totals(EffectTotals(view.effects).counted)
                + "\n<ul class=\"effects\">\n\(items.joined(separator: "\n"))\n</ul>"
        )
    }

    private var people: String? {
        let effects = view.effects
        return PageText.people(effects) { effects[$0].words(isPast: false) }
    }

    private var items: String? {
        let rows = view.items.map { item in
            var words = item.effects.prefix(Self.mostEffects).map { PageText.text($0.summary) }
            if item.effects.count > words.count { words.append("and \(item.effects.count - words.count) more") }
            if let error = item.error {
                words.append("<span class=\"error\">\(PageText.text("would fail: \(error)"))</span>")
            }
            return [PageText.text(item.key), words.joined(separator: "<br>")]
        }
        return rows.isEmpty ? nil : PageText.section("By item", PageText.table(["Item", "What"], rows))
    }

    private var messages: String? {
        let all = view.messages
        guard !all.isEmpty else { return nil }
        let shown = all.prefix(Self.mostMessages).map { message in
            let body =
                message.isHTML
                ? "<iframe sandbox=\"\" title=\"The message\" srcdoc=\"\(Self.frame(message.body).htmlEscaped)\"></iframe>"
                : "<pre>\(PageText.text(message.body, keepingLines: true))</pre>"
            return
                "<div class=\"mail\"><p><b>\(PageText.text(message.subject))</b><br>to \(PageText.text(message.to))</p>\(body)</div>"
        }
        let more =
            all.count > shown.count ? "<p class=\"hint\">… and \(all.count - shown.count) more messages</p>" : ""
        let title =
            view.items.isEmpty
            ? "The messages as their readers see them" : "The messages of the first item as their readers see them"
        return PageText.section(title, shown.joined(separator: "\n") + more)
    }

    /// A message in a frame that loads nothing.
    ///
    /// Characters that turn text around are references: the frame shows the message as its readers see it.
    private static func frame(_ body: String) -> String {
        let body = body.unicodeScalars.map { PlainText.isControl($0) && $0 != "\n" ? "&#\($0.value);" : String($0) }
        return "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
            + "img-src data:\"><meta name=\"color-scheme\" content=\"light\">" + body.joined()
    }

    private var changes: String? {
        let rows = view.effects.flatMap { effect in
            (effect.objectChange?.properties ?? [:]).map { name, value in
                [
                    effect.summary, name, Self.shown(value["before"], effect.kind == .create ? "" : "not read"),
                    Self.shown(value["after"], "known only at run time"),
                ].map { PageText.text($0) }
            }
        }
        guard !rows.isEmpty else { return nil }
        return PageText.section(
            "Before and after", PageText.table(["Change", "Property", "Before", "After"], rows, isTitled: true))
    }

    private static func shown(_ value: Value?, _ unknown: String) -> String {
        guard let value, !value.isNull else { return unknown }
        return value.string ?? value.json()
    }

    private var permissions: String {
        var facts = [
            ("For a signed-in user", view.permissionWords("delegated")),
            ("For an application", view.permissionWords("application")),
        ]
        for (name, title) in [("missing", "Missing from the token"), ("unknown", "Unknown for")]
        where !view.permissions(name).isEmpty {
            facts.append((title, view.permissionWords(name)))
        }
        return PageText.section("Permissions", PageText.facts(facts))
    }

    private var gaps: String? {
        guard !view.isComplete else { return nil }
        let items = view.gaps.map { "<li>\(PageText.text($0))</li>" }.joined()
        return PageText.section("What the plan may leave out", "<ul>\(items)</ul>")
    }

    private var requests: String? {
        let steps = view.tasks.flatMap { task in
            (task["steps"]?.array ?? []).map { (task["number"]?.string ?? "", task["name"]?.string ?? "", $0) }
        }
        guard !steps.isEmpty else { return nil }
        let items = steps.map { number, name, step in
            let call = step["call"]?.array?.compactMap(\.string).joined(separator: " ")
            let url = Self.drawn(step["url"]?.string ?? "")
            let title = call ?? "\(step["method"]?.string ?? "") \(url)"
            let condition = step["condition"]?.string.map { " [\($0)]" } ?? ""
            let body = step["body"].map { $0["json"]?.json(pretty: true) ?? $0["text"]?.string ?? $0.json() }
            let content = body.map { "<pre>\(PageText.text($0, keepingLines: true))</pre>" } ?? ""
            return
                "<details><summary>\(PageText.text("\(number) \(name): \(title)\(condition)"))</summary>\(content)</details>"
        }
        let title = view.items.isEmpty ? "Requests and programs" : "Requests and programs of the first item"
        return PageText.section(title, items.joined(separator: "\n"))
    }

    /// An address with the drawings of what is only known at run time.
    private static func drawn(_ address: String) -> String {
        address.replacing("%E2%80%B9", with: "‹").replacing("%E2%80%BA", with: "›")
    }

    private var drawing: String? {
        guard let svg = workflow.map({ WorkflowDrawing($0).svgElement }), svg.utf8.count < 2 << 20 else { return nil }
        return "<figure id=\"drawing\" class=\"drawing\">\(svg)</figure>"
    }
}
