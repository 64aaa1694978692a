/// A run as one HTML page that needs no network: to look at, print or send.
///
/// Without JavaScript it shows the output of `graphflow show`. Its script reads everything else from JSON in the page.
struct RunPage {
    /// Beyond this number, tasks are folded, so a browser can open the page.
    static let mostTasks = 25_000
    /// The number of lines that are shown without JavaScript.
    private static let mostLines = 1_000
    private static let mostPeople = 500
    /// The limits in bytes for each piece of data, for all data, and for each piece after that.
    private static let (mostData, mostDataOfAll, leastData) = (64 << 10, 12 << 20, 300)
    /// Longer texts of an error are cut.
    static let mostText = 20_000

    let report: RunReport
    /// The workflow as it was run; nil if it cannot be read.
    let workflow: Workflow?
    /// Whether the page has all repetitions.
    let unfolds: Bool

    var html: String {
        let (script, style) = (PageFiles.runScript, PageFiles.style)
        let (header, state) = (report.header, report.summary.state.rawValue)
        let name = header.workflow.title ?? header.workflow.name
        let title = PlainText.line("\(name): \(state)", limit: 200).htmlEscaped
        let policy = PageText.policy(script: script, style: style)
        return PageText.document(
            title, policy: policy, style: style,
            """
            <main id="page">
            <h1>\(title)</h1>
            <pre id="plain" tabindex="0">\(plainLines.map(\.htmlEscaped).joined(separator: "\n"))</pre>
            <figure id="drawing" class="drawing" tabindex="0" aria-label="Workflow">\(drawing)</figure>
            </main>
            <script type="application/json" id="data">\(PageText.script(data))</script>
            <script>\(script)</script>
            """)
    }

    /// The lines that are shown without JavaScript.
    private var plainLines: [String] {
        var lines: [String] = []
        report.lines(width: 400, colour: false) { line in
            lines.append(line)
            return lines.count < Self.mostLines
        }
        if lines.count == Self.mostLines { lines.append("…") }
        return lines
    }

    /// The drawing of the workflow; empty if the workflow is unknown or the drawing too large to be useful.
    private var drawing: String {
        let svg = workflow.map { WorkflowDrawing($0).svgElement } ?? ""
        return svg.utf8.count < 2 << 20 ? svg : ""
    }

    /// The run in the format of `graphflow show --json`, with data as texts that are cut.
    ///
    /// In addition, `lines` has the lines of tasks in the file, and `source` the lines around an error.
    var data: Value {
        var spent = 0
        func text(_ data: Value) -> Value {
            let limit = spent < Self.mostDataOfAll ? Self.mostData : Self.leastData
            let text = PageText.cut(data.json(pretty: true), to: limit)
            spent += text.utf8.count
            return .string(text)
        }
        var object = report.facts
        object["title"] = (report.header.workflow.title).map(Value.string)
        object["error"] = object["error"]?.cut(to: Self.mostText)
        object["input"] = text(report.header.input)
        object["output"] = report.tree.nodes[0].output.map(text)
        object["effects"] = .array(report.effects.map { .object($0.value) })
        object["people"] = people
        object["source"] = source
        object["lines"] = lines
        object["tasks"] = report.tree.json(
            now: report.summary.endedAt ?? report.now, hasInputs: true, texts: text,
            foldingFrom: unfolds ? .max : Self.mostTasks)
        return .object(object)
    }

    /// Everybody whom the run concerned, with what happened.
    private var people: Value {
        let effects = report.effects
        return .array(
            AffectedPerson.all(in: effects.map(\.effect)).prefix(Self.mostPeople).map { person in
                let what = person.effects.map { Value.string(effects[$0].wordsForPerson) }
                return ["name": .string(person.name), "outside": .bool(person.isExternal), "what": .array(what)]
            })
    }

    /// The line of each task in the file.
    private var lines: Value? {
        guard let workflow else { return nil }
        var lines = Object()
        for task in workflow.allTasks {
            guard let range = workflow.document.range(of: task.reference, part: .key) else { continue }
            lines[task.reference.description] = .integer(range.start.line)
        }
        return .object(lines)
    }

    /// The lines of the file around the task that failed.
    private var source: Value? {
        guard let workflow, let error = report.tree.nodes[0].error, let instance = error.instance,
            let place = JSONPointer(rfc6901: instance), !place.tokens.isEmpty,
            let range = workflow.document.range(of: place, part: .key)
        else { return nil }
        let all = String(decoding: workflow.document.text, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        let last = all.last?.isEmpty ?? false ? all.count - 1 : all.count
        let shown = max(1, range.start.line - 3)...max(range.start.line, min(last, range.start.line + 5))
        return [
            "line": .integer(range.start.line), "column": .integer(range.start.column),
            "first": .integer(shown.lowerBound),
            "lines": .array(
                shown.filter { $0 <= all.count }.map { .string(PageText.cut(String(all[$0 - 1]), to: 300)) }),
        ]
    }
}
