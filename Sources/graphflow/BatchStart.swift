import Essentials
import Promises
import WorkflowHTTP
import Workflows

/// Starts a batch, or goes on with the one of its name.
struct BatchStart: Sendable {
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
    /// What answers for other services beside the sandbox.
    private let others: SandboxOption.Others
    private let planning: BatchPlanning
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
                    hint:
                        "use up to 60 letters, digits, '-', '_' and '.', begin with a letter or a digit, and do not use 'last'"
                )
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
        others = try SandboxOption.others(arguments)
        planning = try BatchPlanning(arguments)
        session = BatchSession(
            results: arguments.value("results"), events: arguments.value("events"),
            options: try RunnerOptions(arguments, console),
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
        if let mode = planning.mode { return try await plan(items, digest, mode, on: console) }
        let unrunnable = session.options.obstacles(to: workflow, console)
        guard unrunnable.isEmpty else { throw InvalidWorkflow(diagnostics: unrunnable) }
        let approved = try planning.approved(
            for: items, named: mailName, digest: digest, with: session.options, console)
        try SecretsOption.demand(
            workflow.usedSecrets, in: session.options.secrets, of: file,
            command: "graphflow batch \(file) --each \(source)")
        // A batch with a name is kept: its ledger prevents second mails.
        defer { Retention(keeping: RetentionOption.usual, in: batches, console).prune() }
        let sandbox = profile.map { Sandbox(profile: $0) }
        let graph = try await GraphClient.forRunning([workflow], in: sandbox, others: others, console)
        defer { others.report(on: console) }
        var runner = try session.runner(over: graph, on: console)
        runner.isSandboxed = sandbox != nil
        let id = id(madeBy: runner)
        if name != nil, let past = try BatchPast.find(id, in: batches) {
            defer { withExtendedLifetime(spooled) {} }
            return others.status(
                after: try await goOn(
                    with: past, workflow, items, common, digest, total, as: approved, in: batches, by: runner,
                    on: console))
        }
        var naming = runner
        naming.makeID = { id }
        let journal: Journal
        do throws(JournalError) { journal = try naming.journal(of: workflow, input: common, in: batches) } catch {
            throw error.naming(batch: id)
        }
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
        header.plan = try approved.map { approved throws(SystemError) in try folder.keep(approved) }
        let ledger = try BatchLedger.create(header, in: folder)
        let work = BatchSession.Work(
            workflow: workflow, items: kept ?? items, total: total, journal: journal, ledger: ledger,
            approved: approved, limits: limits.part(of: shard), isContinued: false)
        return others.status(after: try await session.perform(work, by: runner, on: console))
    }

    /// Goes on with the batch of that name, which was started before.
    private func goOn(
        with found: BatchPast.Opened, _ workflow: Workflow, _ items: BatchItems, _ common: Value, _ digest: String,
        _ total: Int, as given: ApprovedBatch?, in batches: RunsFolder, by runner: Runner, on console: Console
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
        let approved = try batches.batch(id).approved(by: ledger.header)
        guard given == nil || given?.value == approved?.value else {
            throw UsageError(
                "the batch \(id) began \(approved == nil ? "without a plan" : "with another plan")",
                hint: "give '--plan' as it was, or start a batch with another name")
        }
        try approved?.demand(
            items, named: mailName, digest: digest, variables: runner.givenVariables, without: runner.ownFiles)
        guard past.sourceDigest == digest else { throw ChangedBatch(batch: id, what: "\(source) has") }
        guard try past.findChanges(to: workflow, journal) == nil else {
            throw ChangedBatch(batch: id, what: "\(file) has")
        }
        try runner.check(journal.header)
        let runner = try runner.going(on: journal.header)
        try ledger.append(
            .resumed(BatchLedger.Resumption(time: runner.now(), sourceDigest: digest, total: total)),
            counts: past.counts(total: total))
        let work = BatchSession.Work(
            workflow: workflow, items: items, total: total, journal: journal, ledger: ledger, past: past,
            approved: approved, limits: limits.part(of: shard), isContinued: true)
        return try await session.perform(work, by: runner, on: console)
    }

    /// The name by which mails are looked up; nil if they are not.
    private var mailName: String? { looksUpMails ? name : nil }

    /// Shows what the batch would do.
    private func plan(
        _ items: BatchItems, _ digest: String, _ mode: Plan.Mode, on console: Console
    ) async throws -> ExitStatus {
        var graph = GraphClient(credential: .environment(console.environment), environment: console.environment)
        if mode == .read {
            let sandbox = profile.map { Sandbox(profile: $0) }
            graph = try await .forRunning([items.workflow], in: sandbox, others: others, console, isPlanned: true)
        }
        var runner = session.options.runner(over: graph, console)
        runner.mailIdentity = mailName.map { MailIdentity(batch: $0, itemKey: .null, lookup: true) }
        return try await planning.show(items, digest: digest, mode: mode, file: file, by: runner, on: console)
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
        // That is the word for the newest.
        guard text != "last" else { return nil }
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
        if let text = arguments.value("lookup-delay") {
            guard let seconds = Int(text), 0...3_600 ~= seconds else {
                throw UsageError(
                    "'--lookup-delay' needs whole seconds, at most 3600, not '\(text)'",
                    hint: "without the option it is 60")
            }
            mailPatience = .seconds(seconds)
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
