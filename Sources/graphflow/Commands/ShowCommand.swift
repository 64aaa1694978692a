/// `graphflow show`: what happened in a run or a batch, as a tree of tasks, a page, JSON or events.
struct ShowCommand: Command {
    static let name = "show"
    static let onlyReads = true
    static let summary = "Show what happened in a run or a batch."
    static let examples = [
        "show last", "show plan.json --format html", "show last --format markdown", "show last --html run.html",
        "show spring --key adele@contoso.com",
    ]
    static let discussion = """
        RUN is the name of a run that 'graphflow runs' lists, or the beginning of its name, or 'last' for the newest.
        For each task, the output says how long it took, how often it was tried, what it waited for and why it failed.
        For a loop with many rounds, it shows the slowest rounds and some that failed.

        PLAN is a file that 'run --dry-run --plan-out' saved. The output says what would happen to whom, also as a page.

        For a batch, it shows how many items completed, their errors in groups, and the slowest items. The page of a
        batch shows what happened to whom, item by item. With '--key', or the name of an item's run, it shows one item.
        """

    @Operand("RUN", "a run's name, or the file of a plan", hint: "'graphflow runs' lists them", offering: .runs) private
        var run: String
    @Option(
        "format", "FORMAT",
        "The format: text, json, html, markdown; for a saved plan curl\nand har as well.", as: .choice("format"))
    private var givenFormat: PlanFormat?
    @Flag("data", "Show the input and the output of each task.") private var showsData
    @Flag("all", "Show all rounds of loops, and all waits.") private var unfolds
    @Option(
        "html", "FILE", "Write one page of HTML, which needs no network, to FILE\n(- for standard output).",
        isOutput: true)
    private var page: String?
    @Flag("json", "The same as '--format json'; --data adds the tasks' inputs.") private var wantsJSON
    @Flag("events", "Print the events of the run's journal, one JSON line each.") private var wantsEvents
    @Option(
        "evidence", "FOLDER",
        "Write the plan, its approvals and the journal of a run into FOLDER, to be\nchecked without graphflow.",
        isOutput: true)
    private var evidence: String?
    @Option("key", "KEY", "Show the item of a batch that has this key: JSON, or plain text.")
    private var key: String?

    private var format: PlanFormat { givenFormat ?? (page != nil ? .html : wantsJSON ? .json : .text) }

    func validate() throws(UsageError) {
        let formats: [any DeclaredOption] = [$givenFormat, $page, $wantsJSON, $wantsEvents]
        try exclude($givenFormat, $page, $wantsJSON, $wantsEvents)
        guard let given = formats.first(where: \.isGiven) else { return }
        let name = given.syntax.dashed + (givenFormat.map { " \($0.rawValue)" } ?? "")
        let amount = format == .markdown ? "no" : "all"
        if showsData, wantsEvents || ![.text, .json].contains(format) {
            throw UsageError("'--data' cannot be used with '\(name)', which has \(amount) data")
        }
        if unfolds, wantsEvents || ![.text, .html].contains(format) {
            throw UsageError("'--all' cannot be used with '\(name)', which has \(amount) rounds")
        }
    }

    func run(on console: Console) async throws -> ExitStatus {
        if let plan = try savedPlan() {
            try show(plan, on: console)
            return .success
        }
        guard ![.curl, .har].contains(format) else {
            throw UsageError(
                "what a run sent cannot be written as \(format.rawValue): only a plan has whole requests",
                hint: "'graphflow run FILE --dry-run --format \(format.rawValue)' makes a plan")
        }
        let kept = KeptRuns.standard(environment: console.environment)
        let (summary, folder, named) = try kept.find(run)
        let item = try key.map { try Self.itemRun($0, of: summary, named, in: folder) } ?? named
        if wantsEvents {
            try printEvents(of: summary.run, item, in: folder, on: console)
        } else if summary.isBatch, item == nil {
            try showBatch(summary.run, in: folder, on: console)
        } else {
            try showRun(summary.run, item, in: folder, on: console)
        }
        return .success
    }

    /// The plan in the file that the operand names; nil if it is not the file of a plan.
    private func savedPlan() throws -> PlanView? {
        let url = URL(fileURLWithPath: run)
        guard FileManager.default.fileExists(atPath: url.path()), let data = try? DataFile.read(run) else { return nil }
        return try PlanView.saved(data)
    }

    private func show(_ view: PlanView, on console: Console) throws(UsageError) {
        guard !view.isOfBatch || ![.curl, .har].contains(format) else {
            throw UsageError(
                "the plan of a batch has no requests to write as \(format.rawValue)",
                hint: "'graphflow run FILE -p NAME=VALUE --dry-run --format \(format.rawValue)' has those of one item")
        }
        guard page == nil else { return try write(PlanPage(view: view, workflow: nil).html, on: console) }
        format.print(view, of: nil, on: console)
    }

    /// The run of the item that '--key' names.
    static func itemRun(
        _ key: String, of batch: RunSummary, _ item: String?, in folder: RunsFolder
    ) throws -> String {
        guard batch.isBatch, item == nil else {
            throw UsageError("'--key' names an item of a batch, but \(item ?? batch.run) is a run")
        }
        let keys = [Value.string(key)] + [try? Value(json: Data(key.utf8))].compactMap(\.self)
        // A later line of an item replaces an earlier one and has the same run.
        var found: [Value: [String]] = [:]
        try BatchLedger.read(try folder.batch(batch.run)) { line in
            guard case .entry(let entry) = line, keys.contains(entry.key) else { return }
            if !found[entry.key, default: []].contains(entry.run) { found[entry.key, default: []].append(entry.run) }
        }
        let runs = keys.flatMap { found[$0] ?? [] }
        let shown = PlainText.exact(key, limit: 200)
        guard let run = runs.first else {
            throw UsageError(
                "no item with the key '\(shown)' has finished",
                hint: "'graphflow show \(batch.run)' has some keys; write a string as it is, and other keys as JSON")
        }
        guard runs.count == 1 else {
            let commands = runs.prefix(10).map { "  graphflow show \($0)" }.joined(separator: "\n")
            throw UsageError("\(runs.count) items have the key '\(shown)'", hint: "choose one:\n\(commands)")
        }
        return run
    }

    private func showBatch(_ name: String, in folder: RunsFolder, on console: Console) throws {
        guard evidence == nil else { throw UsageError("'--evidence' is for runs, but \(name) is a batch") }
        guard !showsData, !unfolds else {
            let options: [any DeclaredOption] = [$showsData, $unfolds]
            throw UsageError(
                "'\(options.first { $0.isGiven }?.syntax.dashed ?? "")' needs an item of the batch",
                hint: "'graphflow show \(name)' has some of them; choose one with '--key'")
        }
        let view = try BatchView(of: name, in: folder, now: Date())
        switch format {
        case .json: return console.print(view.json)
        case .html:
            let items = try BatchView.items(of: name, in: folder)
            return try write(BatchPage(view: view, items: items).html, on: console)
        case .markdown: return console.print(view.markdown(try folder.effects(of: name)))
        case .text, .curl, .har: break
        }
        let effects = view.itemCount <= BatchView.mostCounted ? try? folder.effects(of: name) : nil
        for line in view.lines(width: console.outputWidth, colour: console.outputHasColour, effects: effects) {
            console.print(painted: line)
        }
    }

    /// Writes the files, each of them readable by their owner only.
    private func writeEvidence(_ name: String, in folder: RunsFolder, to path: String, on console: Console) throws {
        let evidence = try folder.evidence(of: name)
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for (file, content) in evidence.files {
            try OutputFile.write(
                content, to: "\(path)/\(file)", sparing: console.files,
                or: "the evidence cannot be written to '\(path)'")
        }
        let count = evidence.approvals.count
        console.print(
            "\(evidence.files.count) files, with \(count == 1 ? "1 approval" : "\(count) approvals"): \(path.shellWord)"
        )
    }

    private func showRun(_ name: String, _ item: String?, in folder: RunsFolder, on console: Console) throws {
        if let evidence {
            if let item { throw UsageError("'--evidence' is for runs, but \(item) is an item of a batch") }
            return try writeEvidence(name, in: folder, to: evidence, on: console)
        }
        // The text does not need the workflow's file.
        let workflow = format == .text ? nil : RunReport.workflow(of: name, in: folder)
        let report = try RunReport(
            of: name, item: item, in: folder, workflow, keepsData: format != .text || showsData,
            unfolds: unfolds || format == .json, now: Date())
        switch format {
        case .html: try write(RunPage(report: report, workflow: workflow, unfolds: unfolds).html, on: console)
        case .json: console.print(report.json(hasInputs: showsData))
        case .markdown: console.print(report.markdown)
        case .text, .curl, .har:
            report.lines(
                width: console.outputWidth, colour: console.outputHasColour, showsData: showsData, unfolds: unfolds
            ) { line in
                console.print(painted: line)
                return true
            }
        }
    }

    private func printEvents(
        of name: String, _ item: String?, in folder: RunsFolder, on console: Console
    ) throws {
        // Printed lines cannot be taken back, so drawings of secrets are looked for first.
        let hasDrawings = try RunReport.read(name, item: item, in: folder, besideDrawings: false) { _, _ in }.isLate
        _ = try RunReport.read(name, item: item, in: folder, besideDrawings: hasDrawings) {
            console.print($1.record.json())
        }
    }

    private func write(_ html: String, on console: Console) throws(UsageError) {
        guard let page, page != "-" else { return console.print(Data(html.utf8)) }
        // The page has the data of a run, so only its owner may read it.
        try OutputFile.write(
            Data(html.utf8), to: page, sparing: console.files,
            or: "the page cannot be written to '\(PlainText.exact(page, limit: 200))'")
    }
}
