/// Starts a batch as the options of ``BatchCommand`` describe it, or continues the batch of that name.
struct BatchStart: Sendable {
    let command: BatchCommand
    let shard: Shard?
    /// What answers for services other than the sandbox.
    let others: SandboxOption.Others
    let session: BatchSession

    func run(on console: Console) async throws -> ExitStatus {
        let (checked, findings) = Workflow.check(contentsOf: URL(fileURLWithPath: command.file))
        guard let workflow = checked else { throw InvalidWorkflow(diagnostics: findings) }
        if session.detail != .quiet { console.report(findings) }
        let unfindable = command.name != nil && command.lookup.isWanted ? workflow.mailLookupFindings() : []
        guard unfindable.isEmpty else { throw InvalidWorkflow(diagnostics: unfindable) }
        let batches = RunsFolder.batches(environment: console.environment)
        let common = try command.input.value(for: workflow, on: session.detail == .quiet ? nil : console)
        try console.files.read(workflow, input: common)
        let spooled = command.source == "-" ? try SpooledItems(in: batches) : nil
        let source = try spooled?.source ?? ItemSource(command.source, separator: command.separator)
        let items = try read(source, for: workflow, common)
        let check = try items.check()
        let digest = check.digest
        if session.detail != .quiet { console.report(check.warnings) }
        if let mode = command.planning.mode { return try await plan(items, digest, mode, on: console) }
        let unrunnable = session.options.obstacles(to: workflow, console)
        guard unrunnable.isEmpty else { throw InvalidWorkflow(diagnostics: unrunnable) }
        let approved = try command.planning.approved(
            for: items, named: mailName, digest: digest, with: session.options, console)
        try SecretsOption.demand(
            workflow.usedSecrets, in: session.options.secrets, of: command.file,
            command: "graphflow batch \(command.file) --each \(command.source)")
        // A named batch is kept: its ledger prevents second mails.
        defer { Retention(keeping: RetentionOption.usual, in: batches, console).prune() }
        let sandbox = command.sandbox.sandbox
        let graph = try await GraphClient.forRunning([workflow], in: sandbox, others: others, console)
        defer { others.report(on: console) }
        var runner = try session.runner(over: graph, on: console)
        runner.isSandboxed = sandbox != nil
        let id = id(madeBy: runner)
        if command.name != nil, let past = try BatchPast.find(id, in: batches) {
            defer { withExtendedLifetime(spooled) {} }
            return others.status(
                after: try await goOn(
                    with: past, workflow, items, common, digest, check.total, as: approved, in: batches, by: runner,
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
            batch: id, name: command.name,
            source: spooled == nil ? URL(fileURLWithPath: command.source).path(percentEncoded: false) : "-",
            sourceDigest: digest, key: command.key, shard: shard.map { [$0.index, $0.count] }, total: check.total,
            startedAt: journal.header.startedAt)
        header.allowsDuplicates = command.allowsDuplicates
        header.separator = command.separator?.text
        header.looksUpMails = command.lookup.isWanted
        header.lookupDelay = command.lookup.delay
        header.concurrency = command.limits.concurrency
        header.rate = command.limits.rate
        header.maxFailures = command.limits.failures?.description
        header.plan = try approved.map { approved throws(SystemError) in try folder.keep(approved) }
        let ledger = try BatchLedger.create(header, in: folder)
        let work = BatchSession.Work(
            workflow: workflow, items: kept ?? items, total: check.total, journal: journal, ledger: ledger,
            approved: approved, limits: command.limits.part(of: shard), isContinued: false)
        return others.status(after: try await session.perform(work, by: runner, on: console))
    }

    private func goOn(
        with found: BatchPast.Opened, _ workflow: Workflow, _ items: BatchItems, _ common: Value, _ digest: String,
        _ total: Int, as given: ApprovedBatch?, in batches: RunsFolder, by runner: Runner, on console: Console
    ) async throws -> ExitStatus {
        var (past, ledger, journal) = found
        let id = ledger.header.batch
        guard !journal.header.isSandboxed else { throw UsageError.sandboxed(id) }
        guard ledger.header.key == command.key, ledger.header.allowsDuplicates == command.allowsDuplicates,
            ledger.header.looksUpMails == command.lookup.isWanted, ledger.header.separator == command.separator?.text
        else {
            throw UsageError(
                "the batch \(id) began with another '--key', '--separator', '--allow-duplicates' or '--no-lookup'",
                hint: "repeat the original options, or start a batch with another name")
        }
        guard journal.header.seals != nil || journal.header.input == common else {
            throw UsageError(
                "the batch \(id) began with another '-p' or '--input'",
                hint: "repeat the original options, or start a batch with another name")
        }
        let approved = try batches.batch(id).approved(by: ledger.header)
        guard given == nil || given?.value == approved?.value else {
            throw UsageError(
                "the batch \(id) began \(approved == nil ? "without a plan" : "with another plan")",
                hint: "repeat the original '--plan', or start a batch with another name")
        }
        try approved?.demand(
            items, named: mailName, digest: digest, variables: runner.givenVariables, without: runner.ownFiles)
        guard past.sourceDigest == digest else { throw ChangedBatch(batch: id, what: "\(command.source) has") }
        guard try past.findChanges(to: workflow, journal) == nil else {
            throw ChangedBatch(batch: id, what: "\(command.file) has")
        }
        try runner.check(journal.header)
        let runner = try runner.going(on: journal.header)
        try ledger.append(
            .resumed(BatchLedger.Resumption(time: runner.now(), sourceDigest: digest, total: total)),
            counts: past.counts(total: total))
        var limits = command.limits
        if command.lookup.delay == nil { limits.mailPatience = BatchLimits(ledger.header).mailPatience }
        let work = BatchSession.Work(
            workflow: workflow, items: items, total: total, journal: journal, ledger: ledger, past: past,
            approved: approved, limits: limits.part(of: shard), isContinued: true)
        return try await session.perform(work, by: runner, on: console)
    }

    /// The name by which mails are looked up; nil if they are not.
    private var mailName: String? { command.lookup.isWanted ? command.name : nil }

    private func plan(
        _ items: BatchItems, _ digest: String, _ mode: Plan.Mode, on console: Console
    ) async throws -> ExitStatus {
        let graph = try await GraphClient.forRunning(
            [items.workflow], in: command.sandbox.sandbox, others: others, console, planned: mode)
        var runner = session.options.runner(
            over: graph, console, in: command.sandbox.sandbox)
        runner.mailIdentity = mailName.map { MailIdentity(batch: $0, itemKey: .null, lookup: true) }
        return try await command.planning.show(
            items, digest: digest, mode: mode, file: command.file, by: runner, on: console)
    }

    private func read(_ source: ItemSource, for workflow: Workflow, _ common: Value) throws -> BatchItems {
        do {
            return try BatchItems(
                source, for: workflow, common: common, key: command.key, allowsDuplicates: command.allowsDuplicates,
                shard: shard)
        } catch let error as ExpressionError {
            throw UsageError("'--key' is not jq: \(error.message)", hint: "write the name of a column: --key .mail")
        }
    }

    /// The batch's id: its name, with the shard if it has one, or a new one.
    private func id(madeBy runner: Runner) -> String {
        guard let name = command.name else { return runner.makeID() }
        return shard.map { "\(name)-\($0.index)-of-\($0.count)" } ?? name
    }
}

extension BatchLimits {
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
    static func sandboxed(_ batch: String) -> UsageError {
        UsageError(
            "the batch \(batch) cannot be resumed: it ran with '--sandbox', and the sandbox ended with it",
            hint: "to try it, start 'graphflow sandbox' and run the batch against it")
    }
}

extension Runner {
    /// Fails if the runs of a journal called another service.
    func check(_ header: Journal.Header) throws {
        try graph.demandService(of: header, called: "the batch \(header.run)") { "set \($0)" }
    }
}
