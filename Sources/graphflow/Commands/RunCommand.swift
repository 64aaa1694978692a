/// `graphflow run`: runs a workflow file against the service or the sandbox, or as a dry run.
struct RunCommand: Command {
    static let name = "run"
    static let summary = "Run a workflow file."
    static let examples = [
        "run workflows/share-profile-photo.yaml --sandbox",
        "run workflows/share-profile-photo.yaml -p to=megan@contoso.com --dry-run",
    ]
    static let discussion = """
        The workflow's output goes to standard output as JSON; progress goes to standard error. Microsoft Graph is
        called with the token in GRAPHFLOW_ACCESS_TOKEN; otherwise as the application that AZURE_TENANT_ID,
        AZURE_CLIENT_ID and AZURE_CLIENT_SECRET describe; otherwise as the account that 'graphflow login' signed in.
        """

    @Operand("FILE", "a workflow file", hint: "graphflow run workflows/share-profile-photo.yaml --sandbox")
    private var file: String
    private let input = InputArguments(
        properties: "the workflow's input, converted to its type in the\ninput's schema.", "JSON|@FILE|-",
        whole: "The whole input: JSON, a file, or standard input. '-p' overrides it.")
    @Option(
        "event", "@FILE|latest",
        "Begin with an event, as 'graphflow serve' would: CloudEvents in a file, or\n"
            + "the newest item of the sources of changes.",
        as: Conversion(event))
    private var event: String?
    private let plans = PlanOptions(
        of: "a run", approved: "Do what an approved plan says, with its input, and refuse\neverything else.",
        format: PlanFormat.text, purpose: " for a plan")
    private let approvals = ApprovalOptions()
    private let sandbox = WorkflowSandboxOptions()
    @Flag(
        "board", "With '--sandbox': after the run, serve a page that shows what it left in the\nsandbox, until Ctrl-C.")
    private var isServed
    private let listening = ListenOption()
    @Flag("batch", "Combine up to 20 reads that are ready at the same time into one request.")
    private var isBatching
    @Option("events", "FILE|-", "Write every event of the run as a CloudEvent, one per line.", isOutput: true)
    private var events: String?
    private let retention = RetentionOption(
        withoutJournal:
            "Do not keep the run; otherwise it is kept in GRAPHFLOW_HOME and can be resumed\nand shown.")
    private let options = RunnerOptions()
    private let notification = NotifyOption()
    private let detail = DetailOption()

    func validate() throws(UsageError) {
        guard sandbox.isGiven && plans.mode == nil || !isServed else {
            throw UsageError("'--board' is for runs in the sandbox", hint: "add '--sandbox'")
        }
        guard notification.address == nil || !sandbox.isClosed else {
            throw UsageError(
                "'--notify' posts to another service, which the sandbox refuses",
                hint: "leave it out, or leave out '--sandbox-only' and '--mock'")
        }
    }

    func run(on console: Console) async throws -> ExitStatus {
        let asked = try await order(on: console)
        guard let mode = asked.mode else { return try await perform(asked, on: console) }
        return try await plan(asked, mode, on: console)
    }

    /// What the options ask for; nothing is performed, and only '--event latest' sends requests, which read.
    func order(on console: Console) async throws -> CommandOrder {
        let own = [plans.approved, plans.output, events] + approvals.paths
        let options = try options.settings(ownFiles: own, console)
        try options.demandJournal(retention.count != nil)
        guard plans.mode == nil || approvals.paths.isEmpty else {
            throw UsageError("'--approval' is for runs, and a dry run needs none")
        }
        let others = try sandbox.others()
        // One for all: each has its own ids.
        let answering = sandbox.sandbox
        let (checked, findings) = Workflow.check(contentsOf: URL(fileURLWithPath: file))
        guard let workflow = checked else { throw InvalidWorkflow(diagnostics: findings) }
        let approved = try plans.approved.map { try ApprovedPlan(try DataFile.readStrictly($0)) }
        let input: Value
        if let event {
            guard !self.input.isGiven, approved == nil else {
                throw UsageError(
                    "with '--event' the event is the input", hint: "leave out '--input', '-p' and '--plan'")
            }
            input = try await StartingEvent(event).input(of: workflow, in: answering, options, console)
        } else if let approved, !self.input.isGiven {
            input = approved.input
        } else {
            input = try self.input.value(for: workflow, on: detail.detail == .quiet ? nil : console)
        }
        try console.files.read(workflow, input: input)
        if let approved { try plans.age.limit.demand(approved.plannedAt) }
        let differences = approved?.differences(to: workflow, input: input, without: options.ownFiles) ?? []
        guard differences.isEmpty else { throw PlanMismatch(differences) }
        let problems = workflow.validate(input: input) { "give it with -p \($0)=…" }
        guard problems.isEmpty else { throw InvalidWorkflow(diagnostics: findings + problems) }
        if detail.detail != .quiet { console.report(findings) }
        if plans.mode == nil, event == nil, detail.detail != .quiet, case .on? = workflow.schedule {
            console.complain(
                "note: this workflow begins when events arrive, which 'graphflow serve \(file.shellWord)' waits for; "
                    + "this run begins now, with the given input"
                    + (workflow.changes.isEmpty ? "" : "; '--event latest' takes the newest item"))
        }
        if plans.mode == nil { try SecretsOption.demand(workflow.usedSecrets, in: options.secrets, of: file) }
        return try CommandOrder(
            of: workflow, input: input, as: approved, planned: plans.mode, under: approvals.demand, options,
            in: answering, others: others, console)
    }

    private static func event(_ text: String, _ name: String) throws -> String {
        guard text == "latest" || text.hasPrefix("@") else {
            throw UsageError("'\(name)' needs a file or 'latest'", hint: "write \(name) @event.json")
        }
        return text
    }

    private func plan(_ asked: CommandOrder, _ mode: Plan.Mode, on console: Console) async throws -> ExitStatus {
        let graph = try await asked.graph(console)
        let base = try graph.baseURL
        var runner = asked.options.runner(over: graph, console, in: asked.sandbox)
        runner.notifications = notification.notifier(console)?.effects ?? []
        let plan: Plan
        do {
            plan = try await runner.plan(asked.workflow, input: asked.input, mode: mode).value
        } catch let error as WorkflowError {
            throw RunFailure(error, of: asked.workflow)
        }
        if let output = plans.output { try ApprovedPlan(plan).value.write(asPlanTo: output, console) }
        plans.dryRun.show(plan, base: base, on: console)
        if let output = plans.output {
            console.complain(
                "run it: graphflow run \(file.shellWord) --plan \(output.shellWord)\(sandbox.words)\(notification.words)"
                    + options.words)
        }
        let missing = plan.summary.missingPermissions?.map(\.permission) ?? []
        return console.hasPermissions(but: missing, for: file) ? .success : .signInRequired
    }

    private func perform(_ asked: CommandOrder, on console: Console) async throws -> ExitStatus {
        let (keptCount, sandbox, others) = (retention.count, asked.sandbox, asked.others)
        let served = isServed ? try sandbox.map { try ServedSandbox($0) } : nil
        var graph = try await asked.graph(console)
        let given = try await approvals.approvals(
            of: asked.approved, under: asked.order.policy, in: sandbox,
            runBy: { [graph] in await graph.runnerID(console, in: sandbox) }, console)
        if isBatching { graph = graph.batchingReads() }
        let runs = keptCount.map { _ in RunsFolder.standard(environment: console.environment) }
        let session = RunSession(
            events: events, listening: listening.port, options: asked.options, journals: runs,
            isSandboxed: sandbox != nil, notifier: notification.notifier(console), approvals: given,
            detail: detail.detail)
        defer { others.report(on: console) }
        defer { if let runs, let keptCount { Retention(keeping: keptCount, in: runs, console).prune() } }
        let perform = { [graph] in
            try await session.perform(asked.workflow, over: graph, on: console) { asked.begin(by: $0) }
        }
        guard let served else { return others.status(after: try await perform()) }
        return others.status(after: await served.show(on: console, after: perform))
    }
}
