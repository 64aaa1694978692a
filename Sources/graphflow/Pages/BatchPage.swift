/// A batch as one HTML page that needs no network: the effects of each item.
///
/// Its script only filters rows.
struct BatchPage {
    let view: BatchView
    let items: [BatchView.Item]

    var html: String {
        let (script, style) = (PageFiles.batchScript, PageFiles.planStyle)
        return """
            \(PageText.head(Self.text("Batch \(view.name)"), policy: PageText.policy(script: script, style: style), style: style))
            <main>
            \(head)
            \(totals)
            \(table)
            </main>
            <script>\(script)</script>
            </body>
            </html>

            """
    }

    private var head: String {
        let facts = view.facts.map { "<div><dt>\(Self.text($0.name))</dt><dd>\(Self.text($0.words))</dd></div>" }
        return """
            <div class="head"><h1>Batch \(Self.text(view.name))</h1>
            <span class="badge \(view.state)">\(view.state)</span></div>
            <section><dl class="facts">\(facts.joined())</dl></section>
            """
    }

    private var totals: String {
        let counts = EffectTotals.counted(items.flatMap(\.effects))
        let content = counts.isEmpty ? "<p>Nothing: the runs only read.</p>" : PageText.totals(counts)
        return "<section><h2>What happened</h2>\n\(content)\n</section>"
    }

    private var table: String {
        let rows = items.map { item in
            let effects = item.effects.prefix(BatchView.Item.mostEffects).map { accounted in
                let mark = accounted.state == .unknown ? "<span class=\"error\">unknown</span> " : ""
                return mark + Self.text(accounted.effect.summary)
            }
            let more = item.effects.count - effects.count
            let error = item.error.map { ["<span class=\"error\">\(Self.text($0))</span>"] } ?? []
            let lines = effects + (more > 0 ? ["and \(more) more"] : []) + error
            return
                "<tr><td>\(Self.text(item.key))</td><td>\(Self.text(item.state))</td><td>\(lines.joined(separator: "<br>"))</td></tr>"
        }
        return """
            <section><h2>Items</h2>
            <p><label>Show items with <input type="search" id="filter" autocomplete="off"></label>
            <span id="shown" role="status"></span></p>
            <table id="items"><thead><tr><th>Item</th><th>State</th><th>What happened</th></tr></thead><tbody>
            \(rows.joined(separator: "\n"))
            </tbody></table></section>
            """
    }

    /// Escapes text from the file or a service for HTML.
    private static func text(_ text: String) -> String { PlainText.escaped(text).htmlEscaped }
}
