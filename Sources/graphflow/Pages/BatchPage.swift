/// A batch as one HTML page that needs no network: the effects of each item.
///
/// Its script only filters rows.
struct BatchPage {
    let view: BatchView
    let items: [BatchView.Item]

    var html: String {
        let (script, style) = (PageFiles.batchScript, PageFiles.planStyle)
        let effects = items.flatMap(\.effects)
        let counts = EffectTotals.counted(effects)
        let people = PageText.people(effects.map(\.effect)) { effects[$0].wordsForPerson } ?? ""
        let totals = counts.isEmpty ? "<p>Nothing: the runs only read.</p>" : PageText.totals(counts)
        return PageText.document(
            PageText.text("Batch \(view.name)"), policy: PageText.policy(script: script, style: style), style: style,
            """
            <main>
            <div class="head"><h1>Batch \(PageText.text(view.name))</h1>
            <span class="badge \(view.state)">\(view.state)</span></div>
            <section>\(PageText.facts(view.head(\.local)))</section>
            \(PageText.section("What happened", totals))
            \(people)
            <section><h2>Items</h2>
            <p><label>Show items with <input type="search" id="filter" autocomplete="off"></label>
            <span id="shown" role="status"></span></p>
            <div id="items">\(PageText.table(["Item", "State", "What happened"], items.map(Self.cells)))</div></section>
            </main>
            <script>\(script)</script>
            """)
    }

    private static func cells(of item: BatchView.Item) -> [String] {
        let effects = item.effects.prefix(BatchView.Item.mostEffects).map { accounted in
            let mark = accounted.state == .unknown ? "<span class=\"error\">unknown</span> " : ""
            return mark + PageText.text(accounted.summary)
        }
        let more = item.effects.count - effects.count
        let error = item.error.map { ["<span class=\"error\">\(PageText.text($0))</span>"] } ?? []
        let lines = effects + (more > 0 ? ["and \(more) more"] : []) + error
        return [PageText.text(item.key), PageText.text(item.state), lines.joined(separator: "<br>")]
    }
}
