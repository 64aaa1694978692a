extension BatchSession {
    struct Resumption: Sendable {
        /// The user's answer about effects whose outcome is unknown; nil for none.
        var assumption: Runner.Assumption?
        /// Which finished items are performed again; nil for all that have not completed.
        var selection: BatchPast.Selection?
        /// The run of the only item that continues; nil for all.
        var item: String?
        /// How many seconds mails are looked up; nil for as long as at the first start.
        var lookupDelay: Int?
        /// Whether mails are looked up, if they were at the first start.
        var looksUpMails: Bool
        /// Whether changes of the workflow and of the source are accepted.
        var acceptsChanges: Bool
        /// How what is left is shown, and not performed; nil to perform it.
        var planning: Planning?

        struct Planning: Sendable {
            let mode: Plan.Mode
            let format: BatchPlanning.Format
            let showsRequests: Bool

            /// - Returns: Nil without a dry run.
            init?(_ options: DryRunOptions<PlanFormat>, of batch: String) throws(UsageError) {
                guard let mode = options.mode else { return nil }
                guard let format = BatchPlanning.Format(rawValue: options.format.rawValue) else {
                    throw UsageError(
                        "'--format \(options.format.rawValue)' is for runs, but \(batch) is a batch",
                        hint: "use \(BatchPlanning.Format.allCases.map(\.rawValue).joined(separator: ", "))")
                }
                (self.mode, self.format, showsRequests) = (mode, format, options.showsRequests)
            }
        }
    }

    /// Performs the items of a batch that have not completed, or shows what they would do.
    func resume(_ batch: String, _ resumption: Resumption, on console: Console) async throws -> ExitStatus {
        let batches = RunsFolder.batches(environment: console.environment)
        var (past, ledger, journal) = try BatchPast.open(batch, in: batches)
        guard !journal.header.isSandboxed else { throw UsageError.sandboxed(batch) }
        let workflow = try journal.currentWorkflow
        try console.files.read(ledger.header.source)
        try console.files.read(workflow, input: journal.header.input)
        // A plan has drawings of secrets, but a kept input with secrets in it has to be opened.
        let planning = resumption.planning
        try SecretsOption.demand(
            planning == nil || journal.header.seals != nil ? workflow.usedSecrets : [], in: options.secrets,
            of: journal.header.file ?? batch,
            command: "graphflow resume \(batch)")
        let approved = try batches.batch(batch).approved(by: ledger.header)
        let changes = try past.findChanges(to: workflow, journal)
        // A changed workflow differs from the plan's, which is refused below.
        if let changes, approved == nil {
            guard resumption.acceptsChanges else {
                throw ChangedWorkflow(run: batch, file: journal.header.file ?? batch)
            }
            for line in changes.lines { console.complain(line) }
        }
        (past.assumption, past.selection) = (resumption.assumption, resumption.selection)
        past.item = resumption.item.flatMap { BatchPast.item(of: $0, in: batch) }
        let graph = try await GraphClient.forRunning([workflow], console, planned: planning?.mode)
        var runner =
            try planning == nil
            ? runner(over: graph, on: console) : options.runner(over: graph, console)
        runner = try runner.going(on: journal.header)
        let mailName = resumption.looksUpMails ? ledger.header.mailName : nil
        let findings =
            (mailName != nil ? workflow.mailLookupFindings() : [])
            + workflow.obstacles(runner.environment, runner.access)
        guard findings.isEmpty else { throw InvalidWorkflow(diagnostics: findings) }
        try runner.check(journal.header)
        let (items, shard) = try items(of: ledger.header, workflow, try runner.input(of: journal), batches)
        let check = try items.check()
        let digest = check.digest
        if detail != .quiet { console.report(check.warnings) }
        try approved?.demand(
            items, named: mailName, digest: digest, variables: runner.givenVariables,
            without: runner.ownFiles)
        var dropped: [String] = []
        if digest != past.sourceDigest {
            guard resumption.acceptsChanges else {
                throw ChangedBatch(batch: batch, what: "\(ledger.header.source) has")
            }
            let new: Int
            (dropped, new) = past.keep(try items.names())
            console.complain(
                "the source has changed: \(new) new items run, \(dropped.count) missing ones are dropped; items that have "
                    + "begun continue with the data that they began with")
        }
        if let planning {
            runner.mailIdentity = mailName.map { MailIdentity(batch: $0, itemKey: .null, lookup: true) }
            let plan = try await runner.plan(
                items, digest: digest, mode: planning.mode, continuing: (past, ledger, journal), isPinned: false
            ).value
            if plan.planned.isEmpty, planning.format == .text {
                console.complain("nothing is left to do")
                return .success
            }
            if approved != nil { console.complain("its plan was approved: an item that would differ is refused") }
            return planning.format.show(
                plan, showsRequests: planning.showsRequests, file: journal.header.file ?? batch, on: console)
        }
        try ledger.append(
            .resumed(
                BatchLedger.Resumption(
                    time: runner.now(), sourceDigest: digest, total: check.total, workflowDigest: changes?.digest,
                    dropped: dropped)),
            counts: past.counts(total: check.total))
        var limits = BatchLimits(ledger.header)
        if let delay = resumption.lookupDelay { limits.mailPatience = .seconds(delay) }
        limits.looksUpMails = resumption.looksUpMails
        let work = Work(
            workflow: workflow, items: items, total: check.total, journal: journal, ledger: ledger, past: past,
            approved: approved, limits: limits.part(of: shard), isContinued: true)
        return try await perform(work, by: runner, on: console)
    }

    private func items(
        of header: BatchLedger.Header, _ workflow: Workflow, _ common: Value, _ batches: RunsFolder
    ) throws -> (BatchItems, Shard?) {
        let source =
            header.source == "-"
            ? try ItemSource(spooled: try batches.batch(header.batch).items)
            : try ItemSource(header.source, separator: header.separator.flatMap { SeparatedReader.Separator($0) })
        let shard = try header.shard.flatMap { $0.count == 2 ? try Shard($0[0], of: $0[1]) : nil }
        let items = try BatchItems(
            source, for: workflow, common: common, key: header.key, allowsDuplicates: header.allowsDuplicates,
            shard: shard)
        return (items, shard)
    }
}

extension BatchItems {
    fileprivate func names() throws -> Set<String> {
        var (names, reader): (Set<String>, Reader) = ([], try reader())
        while let item = try reader.next() { names.insert(item.name) }
        return names
    }
}
