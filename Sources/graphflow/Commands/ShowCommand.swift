/// `graphflow show`: what happened in a run or a batch, as a tree of tasks, a page, JSON or events.
struct ShowCommand: Command {
    static let name = "show"
    static let onlyReads = true
    static let summary = "Show what happened in a run or a batch."
    static let examples = [
        "show last", "show plan.json --format html", "show last --html run.html", "show spring --key adele@contoso.com",
    ]
    static let discussion = """
        RUN is the name of a run that 'graphflow runs' lists, or the beginning of its name, or 'last' for the newest.
        For each task, the output says how long it took, how often it was tried, what it waited for and why it failed.
        For a loop with many rounds, it shows the slowest rounds and some that failed.

        PLAN is a file that 'run --dry-run --plan-out' saved. The output says what would happen to whom, also as a page.

        For a batch, it shows how many items completed, their errors in groups, and the slowest items. The page of a
        batch shows what happened to whom, item by item. With '--key' it shows one item as a run.
        """

    @Operand("RUN", "a run's name, or the file of a plan", hint: "'graphflow runs' lists them", offering: .runs) private
        var run: String
    @Option(
        "format", "FORMAT",
        "The format of a saved plan: \(PlanFormat.allCases.map(\.rawValue).joined(separator: ", ")).",
        as: .choice("format"))
    private var planFormat: PlanFormat?
    @Flag("data", "Show the input and the output of each task.") private var showsData
    @Flag("all", "Show all rounds of loops, and all waits.") private var unfolds
    @Option(
        "html", "FILE", "Write one page of HTML, which needs no network, to FILE\n(- for standard output).")
    private var page: String?
    @Flag("json", "Print the run and its tasks as JSON; --data adds the\ntasks' inputs.") private var wantsJSON
    @Flag("events", "Print the events of the run's journal, one JSON line each.") private var wantsEvents
    @Option(
        "evidence", "FOLDER",
        "Write the plan, its approvals and the journal of a run into FOLDER, to be\nchecked without graphflow.")
    private var evidence: String?
    @Option("key", "KEY", "Show the item of a batch that has this key: JSON, or plain text.")
    private var key: String?

    private enum Format {
        case html, json, events
    }

    private var format: Format? { page != nil ? .html : wantsJSON ? .json : wantsEvents ? .events : nil }

    func validate() throws(UsageError) {
        try exclude($page, $wantsJSON, $wantsEvents)
        for option in [$page, $wantsEvents] as [any DeclaredOption] where showsData && option.isGiven {
            throw UsageError("'--data' cannot be used with '\(option.syntax.dashed)', which has all data")
        }
        for option in [$wantsJSON, $wantsEvents] where unfolds && option.isGiven {
            throw UsageError("'--all' cannot be used with '\(option.syntax.dashed)', which has all rounds")
        }
    }

    func run(on console: Console) async throws -> ExitStatus {
        if let plan = try savedPlan() {
            try show(plan, on: console)
            return .success
        }
        guard planFormat == nil else {
            throw UsageError(
                "'--format' is for the file of a plan, but '\(PlainText.line(run, limit: 100))' is not one",
                hint: "for a run, use '--json', '--html FILE' or '--events'")
        }
        let kept = KeptRuns.standard(environment: console.environment)
        let batch = try key == nil ? kept.batch(ofItem: run) : nil
        let (summary, folder) = try kept.find(batch ?? run)
        let item = try batch == nil ? key.map { try Self.itemRun($0, of: summary, in: folder) } : run
        if summary.isBatch, item == nil, format != .events {
            try showBatch(summary.run, in: folder, on: console)
        } else if format == .events {
            try printEvents(of: summary.run, item, in: folder, on: console)
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
        let format = planFormat ?? (wantsJSON ? .json : .text)
        guard !view.isOfBatch || ![.curl, .har].contains(format) else {
            throw UsageError(
                "the plan of a batch has no requests to write as \(format.rawValue)",
                hint: "'graphflow run FILE -p NAME=VALUE --dry-run --format \(format.rawValue)' has those of one item")
        }
        switch format {
        case .json: console.print(view.source)
        case .html: console.print(Data(PlanPage(view: view, workflow: nil).html.utf8))
        case .markdown: console.print(PlanMarkdown(view: view).text)
        case .curl: console.print(SavedCurlScript(view).text)
        case .har: console.print(HTTPArchive(saved: view).value)
        case .text: console.print(painted: PlanViewText(view, PlanStyle(hasColour: console.outputHasColour)).text)
        }
    }

    /// The run of the item that '--key' names.
    static func itemRun(_ key: String, of batch: RunSummary, in folder: RunsFolder) throws -> String {
        guard batch.isBatch else {
            throw UsageError("'--key' names an item of a batch, but \(batch.run) is a run")
        }
        let keys = [Value.string(key)] + [try? Value(json: Data(key.utf8))].compactMap(\.self)
        // A later line of an item replaces an earlier one and has the same run.
        var found: [Value: [String]] = [:]
        try BatchLedger.read(try folder.batch(batch.run)) { line in
            guard case .entry(let entry) = line, keys.contains(entry.key) else { return }
            if !found[entry.key, default: []].contains(entry.run) { found[entry.key, default: []].append(entry.run) }
        }
        let runs = keys.flatMap { found[$0] ?? [] }
        let shown = PlainText.line(key, limit: 200)
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
        case .events, nil: break
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
            try OutputFile.write(content, to: "\(path)/\(file)", or: "the evidence cannot be written to '\(path)'")
        }
        let count = evidence.approvals.count
        console.print(
            "\(evidence.files.count) files, with \(count == 1 ? "1 approval" : "\(count) approvals"): \(path.shellWord)"
        )
    }

    private func showRun(_ name: String, _ item: String?, in folder: RunsFolder, on console: Console) throws {
        if let evidence { return try writeEvidence(name, in: folder, to: evidence, on: console) }
        // The text does not need the workflow's file.
        let workflow = format == nil ? nil : RunReport.workflow(of: name, in: folder)
        let report = try RunReport(
            of: name, item: item, in: folder, workflow, keepsData: format != nil || showsData,
            unfolds: unfolds || format == .json, now: Date())
        switch format {
        case .html: try write(RunPage(report: report, workflow: workflow, unfolds: unfolds).html, on: console)
        case .json: console.print(report.json(hasInputs: showsData))
        default:
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

    private func write(_ html: String, on console: Console) throws {
        guard let page, page != "-" else { return console.print(Data(html.utf8)) }
        // The page has the data of a run, so only its owner may read it.
        try OutputFile.write(
            Data(html.utf8), to: page, or: "the page cannot be written to '\(PlainText.line(page, limit: 200))'")
    }
}
