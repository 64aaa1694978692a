/// `graphflow resume`: continues a run that was interrupted, that faulted or that was cancelled.
struct ResumeCommand: Command {
    static let name = "resume"
    static let summary = "Continue a run or a batch that was interrupted or failed."
    static let examples = ["resume last", "resume last --dry-run", "resume spring --only faulted"]
    static let discussion = """
        RUN is the name of a run that 'graphflow runs' lists, or the beginning of its name, or 'last' for the newest
        that can be resumed; if a newer one has completed since, you are asked. Completed tasks are not performed again;
        a task that failed is performed again, with all its retries. If an effect that must happen once was in progress,
        it is looked up if possible; otherwise you are asked whether it happened, and '--assume' answers. If the run has
        completed, its output is printed again. '--dry-run' shows what is left, and does nothing.

        A run of an approved plan follows that plan. To accept changes, or to perform tasks again, approve a new plan
        and give it with '--plan'.

        RUN can be a batch: its items that have not completed continue, each as a run; '--dry-run' shows these. It can also be one of these runs,
        as results and 'effects' name it.

        TASK is a task's name, or its pointer as errors show it: /do/1/each/do/0/ask@for:37 is the task 'ask' in round
        38.
        """

    @Operand("RUN", "a run's name", hint: "'graphflow runs' lists them", offering: .runs) private var run: String
    @Option("from", "TASK", "Perform the run again from this task on, not from where it ended.")
    private var first: String?
    @Flag("repeat-effects", "Allow effects that must happen once to happen a second time.")
    private var repeatsEffects
    @Option(
        "assume", "sent|not-sent",
        "Whether effects of unknown outcome happened; without this option, you are asked.",
        as: .choice(hint: "write '--assume sent' if it happened, and '--assume not-sent' if it did not"))
    private var assumption: Runner.Assumption?
    @Flag(
        "accept-changes",
        "Continue although the workflow file has changed: results are kept up to the\n"
            + "first changed task of each list, and the rest is performed again.")
    private var acceptsChanges
    @Option("plan", "FILE", "From now on, do what this approved plan says, and refuse everything else.")
    private var plan: String?
    private let age = PlanAgeOption()
    private let dryRun = DryRunOptions(of: "the rest of the run", format: PlanFormat.text, purpose: " for a plan")
    private let approvals = ApprovalOptions()
    @Option(
        "only", "faulted|unknown", "Of a batch: only items that faulted, or items of unknown outcome.",
        as: .choice("state"))
    private var selection: BatchPast.Selection?
    private let lookup = LookupOption()
    @Flag("yes", "Do not ask whether 'last' is meant if a newer run has completed.") private var isSure
    private let results = ResultsOption()
    private let listening = ListenOption()
    @Flag("batch", "Combine up to 20 reads that are ready at the same time into one request.")
    private var isBatching
    @Option("events", "FILE|-", "Write every event from now on as a CloudEvent, one per line.", isOutput: true)
    private var events: String?
    @Option("input", "JSON", refused: inputRefusal) private var input: String?
    @Option("property", letter: "p", "NAME=VALUE", refused: inputRefusal) private var property: String?
    private let options = RunnerOptions()
    private let notification = NotifyOption()
    private let detail = DetailOption()

    func validate() throws(UsageError) {
        try age.validate(with: plan)
        try exclude($plan, dryRun.$mode)
    }

    private static let inputRefusal =
        "the input is part of the run: with another input, 'graphflow run' begins another run"

    private var runOptions: [any DeclaredOption] {
        [$first, $repeatsEffects, listening.$port, notification.$address, $plan]
    }

    func run(on console: Console) async throws -> ExitStatus {
        let options = try options.settings(ownFiles: [plan, events, results.path] + approvals.paths, console)
        guard approvals.paths.isEmpty || plan != nil else {
            throw UsageError("'--approval' is for the plan that '--plan' names")
        }
        let kept = KeptRuns.standard(environment: console.environment)
        // With '--from', a completed run can be performed again.
        let (named, folder, item) = try kept.find(run) { [first] in
            $0.isResumable || first != nil && $0.state == .completed && !$0.isSandboxed
        }
        guard try isMeant(named, among: kept, console) else { return .faulted }
        if named.isBatch { return try await resumeBatch(named.run, item, options, on: console) }
        guard selection == nil, results.path == nil, lookup.delay == nil, lookup.isWanted else {
            throw UsageError("'--only', '--lookup-delay', '--no-lookup' and '--results' are for batches")
        }
        return try await resumeRun(named, in: folder, options, on: console)
    }

    /// Names what continues; if a newer run has completed since the last one that can continue, that is asked.
    private func isMeant(_ summary: RunSummary, among kept: KeptRuns, _ console: Console) throws -> Bool {
        func words(_ summary: RunSummary) -> String {
            let workflow = summary.workflow.map { " of '\(PlainText.exact($0.name, limit: 200))'" } ?? ""
            let begun = summary.startedAt.relative(to: Date())
            return "the \(summary.isBatch ? "batch" : "run") \(summary.run)\(workflow), \(summary.state.rawValue), "
                + "begun \(begun)"
        }
        if detail.detail != .quiet { console.complain(words(summary)) }
        guard run == "last", !isSure else { return true }
        let newer = try kept.summaries(limit: 1) { $0.startedAt > summary.startedAt && $0.state == .completed }.first
        guard let newer else { return true }
        guard console.inputIsTerminal, console.errorIsTerminal else {
            throw UsageError(
                "'last' is \(words(summary)), and a newer one has completed: \(words(newer))",
                hint: "name the run, or add '--yes': graphflow resume \(summary.run)")
        }
        console.complain("a newer one has completed: \(words(newer))")
        return console.confirms("continue the older one? [y/N] ")
    }

    private func resumeBatch(
        _ name: String, _ item: String?, _ options: RunnerSettings, on console: Console
    ) async throws -> ExitStatus {
        if dryRun.mode == nil {
            try ApprovalDemand.refuse("a batch cannot be approved as a whole", console)
            guard try approvals.demand.policy(console) == nil else {
                throw ApprovalRefusal("a batch cannot be approved as a whole")
            }
        }
        if let option = runOptions.first(where: \.isGiven) {
            throw UsageError("'\(option.syntax.dashed)' is for runs, but \(name) is a batch")
        }
        let session = BatchSession(
            results: results.path, events: events, options: options, isBatching: isBatching, detail: detail.detail)
        let resumption = BatchSession.Resumption(
            assumption: assumption, selection: selection, item: item, lookupDelay: lookup.delay,
            looksUpMails: lookup.isWanted, acceptsChanges: acceptsChanges, planning: try .init(dryRun, of: name))
        return try await session.resume(name, resumption, on: console)
    }

    private func resumeRun(
        _ summary: RunSummary, in folder: RunsFolder, _ options: RunnerSettings, on console: Console
    ) async throws -> ExitStatus {
        let name = summary.run
        let (journal, events) = try Journal.open(name, in: folder)
        let past = PastRun(journal, events)
        let isUndo = Undo.isUndo(journal.header.workflow)
        let report = UndoReport(of: journal.header.input, after: events, console)
        if let output = past.output, first == nil {
            guard dryRun.mode == nil else {
                console.complain("it has completed: nothing is left to do")
                return .success
            }
            console.print(output)
            guard isUndo else { return .success }
            // The process may have been killed before it recorded what it had taken back.
            report.take(output)
            return try await report.status { .success }
        }
        let workflow = try journal.currentWorkflow
        try console.files.read(workflow, input: journal.header.input)
        // A run that was approved stays so.
        let kept = plan == nil ? past.approvals : []
        let asked = try order(toResume: workflow, input: journal.header.input, approvedBy: kept, options, console)
        let approved = asked.approved
        let anyone = try await GraphClient.forRunning([], console)
        let step = try await RunDesk(folder, in: nil, over: { anyone }, console).next(
            asked.order, summary, past, performing: workflow, with: options.secrets, at: try anyone.baseURL)
        if case .refuse(let obstacle) = step { throw try obstacle.error(toResume: journal.header, over: anyone) }
        let changes = try past.changes(to: workflow)
        for line in changes?.lines ?? [] { console.complain(line) }
        // Drawings of secrets need not match the schema that the secrets match.
        let problems = journal.header.seals == nil ? workflow.validate(input: journal.header.input) : []
        guard problems.isEmpty else { throw InvalidWorkflow(diagnostics: problems) }
        let place = try first.map { try execution($0, of: past, console) }
        let repeated = past.repeatedEffects(Event.Resumption(anew: changes?.anew ?? [], from: place))
        list(repeated, on: console)
        let images =
            isUndo ? try Undo.images(for: journal.header.input, in: .standard(environment: console.environment)) : [:]
        if let mode = dryRun.mode {
            return try await plan(asked, on: console) { [assumption] runner in
                (isUndo ? runner.undoing(images) : runner).plan(
                    resuming: workflow, journal, from: events, accepting: changes, beginningAt: place,
                    assuming: assumption, mode: mode)
            }
        }
        // The process may have been killed before it recorded that the run used them.
        try UsedApprovals(environment: console.environment).complete(
            kept.compactMap { CheckedApproval.use(of: $0) }, name)
        if let approved { try age.limit.demand(approved.plannedAt) }
        try allow(repeated, of: name, on: console)
        var graph = try await asked.graph(console)
        let given =
            approved == nil
            ? nil
            : try await approvals.approvals(
                of: approved, under: asked.order.policy, in: nil,
                runBy: { [graph] in await graph.runnerID(console, in: nil) }, console)
        if isBatching { graph = graph.batchingReads() }
        let session = RunSession(
            events: self.events, listening: listening.port, options: options,
            journals: RunsFolder.standard(environment: console.environment),
            notifier: notification.notifier(console), approvals: given, detail: detail.detail)
        let resume = { [assumption] in
            try await session.perform(workflow, over: graph, on: console, after: events) { runner in
                var runner = runner
                if isUndo {
                    runner = runner.undoing(images)
                    runner.recorders.append(Recorder { report.take($0) })
                }
                return runner.resume(
                    workflow, journal, from: events, accepting: changes, beginningAt: place, assuming: assumption,
                    as: approved
                ).get { report.take($0) }
            }
        }
        do {
            return try await isUndo ? report.status(of: resume) : resume()
        } catch let error as UnsettledEffects {
            throw OpenQuestion(error, of: workflow)
        }
    }

    /// What the options ask for, of a run of that workflow.
    /// - Parameter kept: The approvals of the run, which it keeps; none if a plan is given.
    func order(
        toResume workflow: Workflow, input: Value, approvedBy kept: [Value], _ options: RunnerSettings,
        _ console: Console
    ) throws -> CommandOrder {
        var asked = try CommandOrder(
            of: workflow, input: input, as: try plan.map { try ApprovedPlan(try DataFile.readStrictly($0)) },
            planned: dryRun.mode, under: approvals.demand, approvedBy: kept, options, console)
        (asked.order.isRepetition, asked.order.acceptsChanges) = (first != nil, acceptsChanges)
        return asked
    }

    private func plan(
        _ asked: CommandOrder, on console: Console, _ make: (Runner) -> Promise<Plan>
    ) async throws -> ExitStatus {
        let graph = try await asked.graph(console)
        var runner = asked.options.runner(over: graph, console)
        runner.notifications = notification.notifier(console)?.effects ?? []
        do {
            dryRun.show(try await make(runner).value, base: try graph.baseURL, on: console)
            return .success
        } catch let error as WorkflowError {
            throw RunFailure(error, of: asked.workflow)
        } catch let error as UnsettledEffects {
            throw OpenQuestion(error, of: asked.workflow)
        }
    }

    private static let mostListed = 20

    private func execution(_ text: String, of past: PastRun, _ console: Console) throws -> Event.Parent {
        func list(_ names: [String]) -> String {
            let more = names.count - Self.mostListed
            let lines = names.prefix(Self.mostListed).map { PlainText.line($0, limit: 500) }
            return (lines + (more > 0 ? ["… and \(more) more"] : [])).joined(separator: "\n  ")
        }
        let shown = PlainText.line(text, limit: 500)
        do {
            let (place, task) = try past.execution(text)
            console.complain("performed again, with all tasks after it: \(PlainText.line("\(task)", limit: 500))")
            return place
        } catch .none(let others) {
            throw UsageError("no task '\(shown)' of this run has begun", hint: "these have:\n  \(list(others))")
        } catch .several(let places) {
            throw UsageError("the task '\(shown)' was performed more than once", hint: "name one:\n  \(list(places))")
        }
    }

    /// Lists the effects that would happen a second time.
    private func list(_ effects: [PastRun.RepeatedEffect], on console: Console) {
        let once = effects.filter { $0.effect == .once }
        for effect in (once + effects.filter { $0.effect != .once }).prefix(Self.mostListed) {
            let place = PlainText.line("\(effect.place)", limit: 500)
            console.complain(
                effect.effect == .once
                    ? "would happen a second time, but must happen once: \(place)"
                    : "would happen a second time, which changes nothing: \(place)")
        }
        if effects.count > Self.mostListed { console.complain("… and \(effects.count - Self.mostListed) more") }
    }

    /// Asks about the effects that would happen a second time, but must happen once.
    private func allow(_ effects: [PastRun.RepeatedEffect], of run: String, on console: Console) throws {
        let once = effects.filter { $0.effect == .once }
        guard !once.isEmpty, !repeatsEffects else { return }
        guard console.inputIsTerminal, console.errorIsTerminal else {
            throw RepeatedEffects(run: run, count: once.count, options: repetition)
        }
        guard console.confirms("continue? [y/N] ") else {
            throw RepeatedEffects(run: run, count: once.count, options: repetition)
        }
    }

    private var repetition: String {
        (first.map { " --from '\(PlainText.exact($0, limit: 500))'" } ?? "")
            + (acceptsChanges ? " --accept-changes" : "")
    }
}
