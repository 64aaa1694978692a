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
        let title = Self.text("Plan of \(view.title)")
        let style = PageFiles.planStyle
        // Messages inherit the policy and may have their own styles. Nothing is loaded, and no script runs.
        let policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
        return """
            \(PageText.head(title, policy: policy, style: style))
            <main>
            \(content)
            </main>
            </body>
            </html>

            """
    }

    /// What the page shows, for other pages.
    var content: String { "\(head)\n\(sections.joined(separator: "\n"))" }

    private var head: String {
        let made = view.plan["plannedAt"]?.string ?? ""
        let account = view.plan["account"]?["address"]?.string.map { ", for \($0)" } ?? ""
        let badge = view.isComplete ? "complete" : "not complete"
        return """
            <div class="head"><h1>Plan of \(Self.text(view.title))</h1>
            <span class="badge \(view.isComplete ? "complete" : "partial")">\(badge)</span>
            <p>\(Self.text("Made at \(made)\(account); \(view.origin)."))</p></div>
            """
    }

    private var sections: [String] {
        [effects, people, items, messages, changes, permissions, gaps, requests, drawing].compactMap(\.self)
    }

    private static func section(_ title: String, _ content: String) -> String {
        "<section><h2>\(text(title))</h2>\n\(content)\n</section>"
    }

    private var effects: String {
        guard !view.effects.isEmpty else { return Self.section("What happens", "<p>Nothing: the run only reads.</p>") }
        let items = EffectLines(view.effects).entries.map { entry in
            let condition = entry.condition.map { " <span class=\"when\">[\(Self.text($0))]</span>" } ?? ""
            return "<li\(entry.isMarked ? " class=\"second\"" : "")>\(Self.text(entry.words))\(condition)</li>"
        }
        return Self.section(
            "What happens",
            PageText.totals(EffectTotals(view.effects).counted)
                + "\n<ul class=\"effects\">\n\(items.joined(separator: "\n"))\n</ul>"
        )
    }

    private var people: String? {
        let people = view.people
        guard !people.isEmpty else { return nil }
        let rows = people.map { person in
            let all = person.effects.map { Self.text(Self.words(of: $0)) }.joined(separator: "<br>")
            let place = person.isExternal ? "<span class=\"error\">outside</span>" : ""
            return "<tr><td>\(Self.text(person.address))</td><td>\(place)</td><td>\(all)</td></tr>"
        }
        return Self.section(
            "By person",
            "<table><thead><tr><th>Person</th><th>Where</th><th>What</th></tr></thead><tbody>\n"
                + rows.joined(separator: "\n") + "\n</tbody></table>")
    }

    private var items: String? {
        let items = view.items
        guard !items.isEmpty else { return nil }
        let rows = items.map { item in
            var words = item.effects.prefix(Self.mostEffects).map { Self.text($0.summary) }
            if item.effects.count > words.count { words.append("and \(item.effects.count - words.count) more") }
            if let error = item.error {
                words.append("<span class=\"error\">\(Self.text("would fail: \(error)"))</span>")
            }
            return "<tr><td>\(Self.text(item.key))</td><td>\(words.joined(separator: "<br>"))</td></tr>"
        }
        return Self.section(
            "By item",
            "<table><thead><tr><th>Item</th><th>What</th></tr></thead><tbody>\n" + rows.joined(separator: "\n")
                + "\n</tbody></table>")
    }

    private static func words(of effect: Effect) -> String {
        let subject = effect["subject"].string.map { "'\($0)'" } ?? "with a subject known only at run time"
        let attachments = effect["attachments"].array?.count ?? 0
        let files = attachments > 0 ? ", \(attachments == 1 ? "1 attachment" : "\(attachments) attachments")" : ""
        return effect.kind == .event ? "is invited to \(subject)" : "gets the mail \(subject)\(files)"
    }

    private var messages: String? {
        let all = view.messages
        guard !all.isEmpty else { return nil }
        let shown = all.prefix(Self.mostMessages).map { message in
            let body =
                message.isHTML
                ? "<iframe sandbox=\"\" title=\"The message\" srcdoc=\"\(Self.frame(message.body).htmlEscaped)\"></iframe>"
                : "<pre>\(Self.text(message.body, keepingLines: true))</pre>"
            return
                "<div class=\"mail\"><p><b>\(Self.text(message.subject))</b><br>to \(Self.text(message.to))</p>\(body)</div>"
        }
        let more =
            all.count > shown.count ? "<p class=\"hint\">… and \(all.count - shown.count) more messages</p>" : ""
        let title =
            view.items.isEmpty
            ? "The messages as their readers see them" : "The messages of the first item as their readers see them"
        return Self.section(title, shown.joined(separator: "\n") + more)
    }

    /// A message in a frame that loads nothing.
    private static func frame(_ body: String) -> String {
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
            + "img-src data:\"><meta name=\"color-scheme\" content=\"light\">" + body
    }

    private var changes: String? {
        let changed = view.effects.filter { !($0["properties"].object ?? [:]).isEmpty }
        guard !changed.isEmpty else { return nil }
        let rows = changed.flatMap { effect in
            (effect["properties"].object ?? [:]).map { name, value in
                let cells = [
                    effect.summary, name, Self.shown(value["before"], effect.kind == .create ? "" : "not read"),
                    Self.shown(value["after"], "known only at run time"),
                ]
                return "<tr>\(cells.map { "<td>\(Self.text($0))</td>" }.joined())</tr>"
            }
        }
        return Self.section(
            "Before and after",
            "<table><thead><tr><th>Change</th><th>Property</th><th>Before</th><th>After</th></tr></thead><tbody>\n"
                + rows.joined(separator: "\n") + "\n</tbody></table>")
    }

    private static func shown(_ value: Value?, _ unknown: String) -> String {
        guard let value, !value.isNull else { return unknown }
        return value.string ?? value.json()
    }

    private var permissions: String {
        func words(_ name: String) -> String {
            let all = view.permissions(name)
            return all.isEmpty ? "none" : all.joined(separator: ", ")
        }
        var rows = [("For a signed-in user", words("delegated")), ("For an application", words("application"))]
        if !view.permissions("missing").isEmpty { rows.append(("Missing from the token", words("missing"))) }
        if !view.permissions("unknown").isEmpty { rows.append(("Unknown for", words("unknown"))) }
        let facts = rows.map { "<div><dt>\(Self.text($0.0))</dt><dd>\(Self.text($0.1))</dd></div>" }
        return Self.section("Permissions", "<dl class=\"facts\">\(facts.joined())</dl>")
    }

    private var gaps: String? {
        guard !view.isComplete else { return nil }
        let items = view.gaps.map { "<li>\(Self.text($0))</li>" }.joined()
        return Self.section("What the plan may leave out", "<ul>\(items)</ul>")
    }

    private var requests: String? {
        let steps = view.tasks.flatMap { task in
            (task["steps"]?.array ?? []).map { (task["number"]?.string ?? "", task["name"]?.string ?? "", $0) }
        }
        guard !steps.isEmpty else { return nil }
        let items = steps.map { number, name, step in
            let call = step["call"]?.array?.compactMap(\.string).joined(separator: " ")
            let title = call ?? "\(step["method"]?.string ?? "") \(step["url"]?.string ?? "")"
            let condition = step["condition"]?.string.map { " [\($0)]" } ?? ""
            let body = step["body"].map { $0["json"]?.json(pretty: true) ?? $0["text"]?.string ?? $0.json() }
            let content = body.map { "<pre>\(Self.text($0, keepingLines: true))</pre>" } ?? ""
            return
                "<details><summary>\(Self.text("\(number) \(name): \(title)\(condition)"))</summary>\(content)</details>"
        }
        let title = view.items.isEmpty ? "Requests and programs" : "Requests and programs of the first item"
        return Self.section(title, items.joined(separator: "\n"))
    }

    private var drawing: String? {
        guard let svg = workflow.map({ WorkflowDrawing($0).svgElement }), svg.utf8.count < 2 << 20 else { return nil }
        return "<figure id=\"drawing\" class=\"drawing\">\(svg)</figure>"
    }

    /// Escapes text from the file or a service for HTML.
    private static func text(_ text: String, keepingLines: Bool = false) -> String {
        PlainText.escaped(text, keepingLines: keepingLines).htmlEscaped
    }
}
