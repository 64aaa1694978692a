import Essentials
import Promises
import WorkflowHTTP
import Workflows

/// `graphflow batch`: runs a workflow for each item of a source.
struct BatchCommand: Command {
    static let name = "batch"
    static let summary = "Run a workflow file for each item of a list."
    static let operands = "FILE"
    static let discussion = """
        Each item of SOURCE is the input of one run. All items are checked before the first one runs. A line of JSON
        for each item that is over goes to standard output: its key, its state, and its output or error.

        A batch that was interrupted, or some of whose items failed, goes on with 'graphflow resume BATCH', or when a
        batch of the same '--name' is started again. With '--name', a mail that a batch of that name has sent is not
        sent again. With '--shard', each of several machines takes its part of the items.
        """
    static let options = ownOptions + DetailOption.options
    private static let ownOptions = [
        Option(
            name: "each", argument: .required("SOURCE"),
            help: "The items: a .csv, .tsv, .jsonl, .json or .yaml file, or '-' for JSON Lines\non standard input."),
        Option(
            name: "key", argument: .required("EXPRESSION"),
            help: "What names an item: jq over the item as it was read (default: the whole item)."),
        Option(
            name: "allow-duplicates",
            help: "Allow items with the same key."),
        Option(
            name: "name", argument: .required("NAME"),
            help: "The batch's name, under which it goes on when it is started again."),
        Option(
            name: "no-lookup",
            help: "Do not look up whether another machine has sent the mails of a batch with a name."),
        Option(
            name: "shard", argument: .required("I/N|auto"),
            help: "Take only part I of N of the items. 'auto' finds I and N in the environment\n"
                + "of Slurm, Kubernetes and others."),
        Option(
            name: "concurrency", argument: .required("N"),
            help: "The most items at work at the same time (default: as many as the service\nlets through)."),
        Option(
            name: "rate", argument: .required("N/s"),
            help: "The most items that begin in a second, by all shards together."),
        Option(
            name: "max-failures", argument: .required("N|P%"),
            help: "Take no more items when N have faulted or are unknown, or P% of at least 20."),
        ResultsFile.option,
        Option(
            name: "property", letter: "p", argument: .required("NAME=VALUE"), isRepeatable: true,
            help: "Set a property of all items' input, converted to its type in the input's\nschema."),
        Option(
            name: "input", argument: .required("JSON|@FILE"),
            help: "The input that all items have in common: JSON or a file. '-p' and the items\noverride it."),
        SandboxOption.option,
        Option(
            name: "combine-reads",
            help: "Combine reads that are ready at the same time into one request, at most 20."),
        Option(
            name: "events", argument: .required("FILE|-"),
            help: "Write every event of the runs as a CloudEvent, one per line."),
        SecretsOption.option,
        AnswerOption.option,
    ]

    private let file: String
    private let source: String
    private let input: InputArguments
    private let key: String?
    private let allowsDuplicates: Bool
    private let name: String?
    /// Whether mails are looked up that another machine may have sent.
    private let looksUpMails: Bool
    private let shard: Shard?
    private let limits: BatchLimits
    private let profile: Sandbox.Profile?
    private let session: BatchSession

    init(_ arguments: ParsedArguments, _ console: Console) throws {
        file = try arguments.operand(
            "workflow file", hint: "graphflow batch workflows/welcome.yaml --each users.csv --sandbox")
        guard let source = arguments.value("each"), !source.isEmpty else {
            throw UsageError("'graphflow batch' needs '--each SOURCE'", hint: "add --each users.csv")
        }
        self.source = source
        guard source != "-" || arguments.value("input") != "-" else {
            throw UsageError("the items and '--input' cannot both come from standard input")
        }
        input = try InputArguments(whole: arguments.value("input"), properties: arguments.all("property"))
        key = arguments.value("key")
        allowsDuplicates = arguments.has("allow-duplicates")
        name = try arguments.value("name").map { name throws(UsageError) in
            guard let name = BatchName(name) else {
                throw UsageError(
                    "'\(PlainText.line(name, limit: 100))' cannot be the name of a batch",
                    hint: "use up to 60 letters, digits, '-', '_' and '.', and begin with a letter or a digit")
            }
            return name.text
        }
        looksUpMails = !arguments.has("no-lookup")
        guard looksUpMails || name != nil else {
            throw UsageError("'--no-lookup' is for batches with a name", hint: "leave it out, or add --name NAME")
        }
        shard = try arguments.value("shard").map { text throws(UsageError) in
            do throws(ShardError) {
                guard text == "auto" else { return try Shard(text) }
                let (shard, engine) = try Shard.find(in: console.environment)
                console.complain("shard \(shard), as \(engine) says")
                return shard
            } catch {
                throw UsageError(error.message, hint: error.hint)
            }
        }
        guard shard == nil || name != nil else {
            throw UsageError("'--shard' needs '--name'", hint: "give all shards of the batch the same name")
        }
        limits = try BatchLimits(arguments)
        profile = try SandboxOption.profile(arguments)
        session = BatchSession(
            results: arguments.value("results"), events: arguments.value("events"),
            secrets: try SecretsOption.store(arguments, console), largestAnswer: try AnswerOption.size(arguments),
            isBatching: arguments.has("combine-reads"), detail: try DetailOption.detail(arguments))
    }

    func run(on console: Console) async throws -> ExitStatus {
        let (checked, findings) = Workflow.check(contentsOf: URL(fileURLWithPath: file))
        guard let workflow = checked else { throw InvalidWorkflow(diagnostics: findings) }
        for warning in findings where session.detail != .quiet {
            console.complain(painted: warning.text(colour: console.errorHasColour))
        }
        let unfindable = name != nil && looksUpMails ? workflow.mailLookupFindings() : []
        guard unfindable.isEmpty else { throw InvalidWorkflow(diagnostics: unfindable) }
        let batches = RunsFolder.batches(environment: console.environment)
        let common = try input.value(for: workflow)
        let spooled = source == "-" ? try SpooledItems(in: batches) : nil
        let items = try read(try spooled?.source ?? ItemSource(source), for: workflow, common)
        let (total, _, digest) = try items.check()
        try SecretsOption.demand(
            workflow.usedSecrets, in: session.secrets, of: file,
            command: "graphflow batch \(file) --each \(source)")
        let sandbox = profile.map { Sandbox(profile: $0) }
        let graph = try await GraphClient.forRunning([workflow], in: sandbox, console)
        var runner = try session.runner(over: graph, on: console)
        runner.isSandboxed = sandbox != nil
        let id = id(madeBy: runner)
        if name != nil, let past = try BatchPast.find(id, in: batches) {
            defer { withExtendedLifetime(spooled) {} }
            return try await goOn(with: past, workflow, items, common, digest, total, by: runner, on: console)
        }
        var naming = runner
        naming.makeID = { id }
        let journal = try naming.journal(of: workflow, input: common, in: batches)
        let folder = try batches.batch(id)
        let kept = try spooled.map { try read(try $0.keep(in: folder), for: workflow, common) }
        var header = BatchLedger.Header(
            batch: id, name: name,
            source: spooled == nil ? URL(fileURLWithPath: source).path(percentEncoded: false) : "-",
            sourceDigest: digest, key: key, shard: shard.map { [$0.index, $0.count] }, total: total,
            startedAt: journal.header.startedAt)
        header.allowsDuplicates = allowsDuplicates
        header.looksUpMails = looksUpMails
        header.concurrency = limits.concurrency
        header.rate = limits.rate
        header.maxFailures = limits.failures?.description
        let ledger = try BatchLedger.create(header, in: folder)
        let work = BatchSession.Work(
            workflow: workflow, items: kept ?? items, total: total, journal: journal, ledger: ledger,
            limits: limits.part(of: shard), isContinued: false)
        return try await session.perform(work, by: runner, on: console)
    }

    /// Goes on with the batch of that name, which was started before.
    private func goOn(
        with found: BatchPast.Opened, _ workflow: Workflow, _ items: BatchItems, _ common: Value, _ digest: String,
        _ total: Int, by runner: Runner, on console: Console
    ) async throws -> ExitStatus {
        var (past, ledger, journal) = found
        let id = ledger.header.batch
        guard !journal.header.isSandboxed else { throw UsageError.sandboxed(id) }
        guard ledger.header.key == key, ledger.header.allowsDuplicates == allowsDuplicates,
            ledger.header.looksUpMails == looksUpMails
        else {
            throw UsageError(
                "the batch \(id) began with another '--key', '--allow-duplicates' or '--no-lookup'",
                hint: "give it as it was, or start a batch with another name")
        }
        guard journal.header.seals != nil || journal.header.input == common else {
            throw UsageError(
                "the batch \(id) began with another '-p' or '--input'",
                hint: "give it as it was, or start a batch with another name")
        }
        guard past.sourceDigest == digest else { throw ChangedBatch(batch: id, what: "\(source) has") }
        guard try past.findChanges(to: workflow, journal) == nil else {
            throw ChangedBatch(batch: id, what: "\(file) has")
        }
        try runner.check(journal.header)
        try ledger.append(
            .resumed(BatchLedger.Resumption(time: runner.now(), sourceDigest: digest, total: total)))
        let work = BatchSession.Work(
            workflow: workflow, items: items, total: total, journal: journal, ledger: ledger, past: past,
            limits: limits.part(of: shard), isContinued: true)
        return try await session.perform(work, by: runner, on: console)
    }

    private func read(_ source: ItemSource, for workflow: Workflow, _ common: Value) throws -> BatchItems {
        do {
            return try BatchItems(
                source, for: workflow, common: common, key: key, allowsDuplicates: allowsDuplicates, shard: shard)
        } catch let error as ExpressionError {
            throw UsageError("'--key' is not jq: \(error.message)", hint: "write the name of a column: --key .mail")
        }
    }

    /// The batch's id: its name, with the shard if it has one, or a new one.
    private func id(madeBy runner: Runner) -> String {
        guard let name else { return runner.makeID() }
        return shard.map { "\(name)-\($0.index)-of-\($0.count)" } ?? name
    }
}

/// A name that a user gives to a batch, and that can be a part of a folder's name.
struct BatchName {
    let text: String

    private static let longest = 60

    init?(_ text: String) {
        guard let first = text.utf8.first, text.utf8.count <= Self.longest, !"-_.".utf8.contains(first),
            text.utf8.allSatisfy({ byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            })
        else { return nil }
        self.text = text
    }
}

extension BatchLimits {
    /// The limits that the options describe.
    init(_ arguments: ParsedArguments) throws(UsageError) {
        self.init(concurrency: try arguments.count("concurrency", from: 1))
        if let text = arguments.value("rate") {
            let number = text.hasSuffix("/s") ? String(text.dropLast(2)) : text
            guard let rate = Double(number), rate > 0, rate.isFinite else {
                throw UsageError("'\(text)' is not a rate", hint: "write --rate 10/s")
            }
            self.rate = rate
        }
        if let text = arguments.value("max-failures") {
            guard let failures = Failures(text) else {
                throw UsageError(
                    "'--max-failures' cannot be '\(text)'", hint: "write --max-failures 20, or --max-failures 5%")
            }
            self.failures = failures
        }
    }

    /// The limits for one of the shards.
    func part(of shard: Shard?) -> BatchLimits {
        var limits = self
        limits.rate = rate.map { $0 / Double(shard?.count ?? 1) }
        return limits
    }
}

/// A batch whose items or workflow have changed since it began.
struct ChangedBatch: Error {
    let batch: String
    /// What has changed: `users.csv has`.
    let what: String
}

extension UsageError {
    /// A batch that ended with its sandbox.
    static func sandboxed(_ batch: String) -> UsageError {
        UsageError(
            "the batch \(batch) cannot go on: it ran with '--sandbox', and the sandbox ended with it",
            hint: "to try it, start 'graphflow sandbox' and run the batch against it")
    }
}

extension Runner {
    /// Fails if a journal's runs called another service.
    func check(_ header: Journal.Header) throws {
        let address = try graph.baseURL.absoluteString
        guard let other = header.graphURL, other != address else { return }
        throw UsageError(
            "the batch \(header.run) called \(PlainText.line(other, limit: 200)), but GRAPHFLOW_GRAPH_URL is \(address)",
            hint: "set GRAPHFLOW_GRAPH_URL=\(PlainText.line(other, limit: 200))")
    }
}
