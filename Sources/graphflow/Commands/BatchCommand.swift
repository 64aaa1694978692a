/// `graphflow batch`: runs a workflow for each item of a source.
struct BatchCommand: Command {
    static let name = "batch"
    static let summary = "Run a workflow file for each item of a list."
    static let examples = [
        "batch workflows/welcome.yaml --each workflows/welcome.csv --key .mail --sandbox",
        "batch welcome.yaml --each people.csv --key .mail --name spring --dry-run",
    ]
    static let discussion = """
        Each item of SOURCE is the input of one run. All items are checked before the first one runs. A line of JSON for
        each finished item goes to standard output: its key, its state, and its output or error.

        To continue a batch that was interrupted or has failed items, use 'graphflow resume BATCH', or start a batch of
        the same '--name' again. With '--name', a mail that a batch of that name has sent is not sent again. With
        '--shard', each of several machines takes its part of the items.
        """

    @Operand("FILE|FOLDER…") private var places: [String]
    @Option(
        "each", "SOURCE",
        "The items: a .csv, .tsv, .jsonl, .json or .yaml file, or '-' for JSON Lines\non standard input.",
        as: Conversion(offering: .files) { text, _ in text })
    var source = ""
    @Option(
        "separator", "CHARACTER",
        "The separator of a table, or 'tab' (default: found in the first row).",
        as: Conversion({ SeparatedReader.Separator($0) }) { text, name in
            UsageError("'\(name)' cannot be '\(text)'", hint: "write \(name) ';', or \(name) tab")
        })
    var separator: SeparatedReader.Separator?
    @Option(
        "key", "EXPRESSION", "The key of an item: jq over the item as it was read (default: the whole item).")
    var key: String?
    @Flag("allow-duplicates", "Allow items with the same key.") var allowsDuplicates
    @Option(
        "name", "NAME", "The batch's name; starting a batch of the same name again continues it.",
        as: Conversion(batchName))
    var name: String?
    let lookup = LookupOption()
    @Option(
        "shard", "I/N|auto",
        "Take only part I of N of the items. 'auto' finds I and N in the environment\nof Slurm, Kubernetes and others.")
    private var shard: String?
    @Option(
        "concurrency", "N",
        "The most items that run at the same time (default: as many as the service\nallows).", as: .count(from: 1))
    private var concurrency: Int?
    @Option(
        "rate", "N/s", "The most items that begin in a second, in all shards together.",
        as: Conversion(itemsPerSecond))
    private var rate: Double?
    @Option(
        "max-failures", "N|P%", "Take no more items when N have faulted or are unknown, or P% of at least 20.",
        as: Conversion({ BatchLimits.Failures($0) }) { text, name in
            UsageError("'\(name)' cannot be '\(text)'", hint: "write \(name) 20, or \(name) 5%")
        })
    private var maxFailures: BatchLimits.Failures?
    @Option(
        "approvals-for", "item|batch",
        "Whether 'call: approval' asks for each item, or once for all items with the\nsame text and data (default: item).",
        as: .choice(hint: "write item or batch"))
    private var approvalScope = ApprovalScope.item
    private let results = ResultsOption()
    @Flag(
        "report",
        "Run nothing: sum up the shards of a batch. The operands are their folders\nor files of results.")
    private var isReport
    @Flag("json", "With '--report': print JSON.") private var wantsJSON
    let input = InputArguments(
        properties: "every item's input, converted to its type in the input's\nschema.", "JSON|@FILE",
        whole: "The input shared by all items: JSON or a file. '-p' and the items\noverride it.")
    let sandbox = WorkflowSandboxOptions()
    @Flag("combine-reads", "Combine up to 20 reads that are ready at the same time into one request.")
    private var isBatching
    @Option("events", "FILE|-", "Write every event of the runs as a CloudEvent, one per line.", isOutput: true)
    private var events: String?
    private let options = RunnerOptions()
    let planning = BatchPlanning()
    private let detail = DetailOption()

    func validate() throws(UsageError) {
        guard !isReport else {
            guard places.isEmpty else { return }
            throw UsageError(
                "'graphflow batch --report' needs a folder", hint: "graphflow batch --report shard-1 shard-2")
        }
        guard !wantsJSON else { throw UsageError("'--json' is for '--report'") }
        guard places.count == 1, places[0] != "" else {
            throw UsageError(
                "'graphflow batch' \(places.count > 1 ? "takes one" : "needs a") workflow file",
                hint: "graphflow batch workflows/welcome.yaml --each users.csv --sandbox")
        }
        guard !source.isEmpty else {
            throw UsageError("'graphflow batch' needs '--each SOURCE'", hint: "add --each users.csv")
        }
        guard source != "-" || separator == nil else {
            throw UsageError("'--separator' is for tables, and '-' is JSON Lines")
        }
        guard source != "-" || !input.isOnStandardInput else {
            throw UsageError("the items and '--input' cannot both come from standard input")
        }
        try lookup.validate(name: name)
        guard shard == nil || name != nil else {
            throw UsageError("'--shard' needs '--name'", hint: "give all shards of the batch the same name")
        }
    }

    func run(on console: Console) async throws -> ExitStatus {
        guard !isReport else {
            return try BatchReport.print(folders: places, name: name, json: wantsJSON, on: console)
        }
        if planning.mode == nil {
            try ApprovalDemand.refuse("a batch cannot be approved as a whole", console)
        }
        let options = try options.settings(ownFiles: planning.files + [events, results.path], console)
        var session = BatchSession(
            results: results.path, events: events, options: options, isBatching: isBatching, detail: detail.detail)
        session.sharesApprovals = approvalScope == .batch
        let start = BatchStart(
            command: self, shard: try givenShard(console), others: try sandbox.others(), session: session)
        return try await start.run(on: console)
    }

    private enum ApprovalScope: String, CaseIterable {
        case item, batch
    }

    var file: String { places[0] }
    /// The limits of all shards together.
    var limits: BatchLimits {
        var limits = BatchLimits(concurrency: concurrency, rate: rate, failures: maxFailures)
        // A sent mail is in the sandbox's Sent Items at once.
        if let delay = lookup.delay ?? (sandbox.isGiven ? 0 : nil) { limits.mailPatience = .seconds(delay) }
        return limits
    }

    private func givenShard(_ console: Console) throws(UsageError) -> Shard? {
        guard let shard else { return nil }
        do throws(ShardError) {
            guard shard == "auto" else { return try Shard(shard) }
            let (found, engine) = try Shard.find(in: console.environment)
            console.complain("shard \(found), as \(engine) says")
            return found
        } catch {
            throw UsageError(error.message, hint: error.hint)
        }
    }

    /// Checks that a name can be part of a folder's name.
    private static func batchName(_ name: String, _ option: String) throws -> String {
        let isWord = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
        // 'last' means the newest run.
        guard let first = name.first, name.count <= 60, !"-_.".contains(first), isWord, name != "last"
        else {
            throw UsageError(
                "'\(PlainText.exact(name, limit: 100))' cannot be the name of a batch",
                hint: "use up to 60 letters, digits, '-', '_' and '.', begin with a letter or a digit, and do not "
                    + "use 'last'")
        }
        return name
    }

    private static func itemsPerSecond(_ text: String, _ name: String) throws -> Double {
        let number = text.hasSuffix("/s") ? String(text.dropLast(2)) : text
        guard let rate = Double(number), rate > 0, rate.isFinite else {
            throw UsageError("'\(text)' is not a rate", hint: "write \(name) 10/s")
        }
        return rate
    }
}
