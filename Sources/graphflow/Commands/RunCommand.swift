import Essentials
import Promises
import Workflows

/// `graphflow run`: runs a workflow file for real, against the sandbox, or as a dry run.
struct RunCommand: Command {
    static let name = "run"
    static let summary = "Run a workflow file."
    static let operands = "FILE"
    static let examples = [
        "run workflows/share-profile-photo.yaml --sandbox",
        "run workflows/share-profile-photo.yaml -p to=megan@contoso.com --dry-run",
    ]
    static let discussion = """
        The workflow's output goes to standard output as JSON; progress goes to standard error. Microsoft Graph is
        called with the token in GRAPHFLOW_ACCESS_TOKEN; otherwise as the application that AZURE_TENANT_ID,
        AZURE_CLIENT_ID and AZURE_CLIENT_SECRET describe; otherwise as the account that 'graphflow login' signed in.
        """
    static let options = ownOptions + RunnerOptions.options + NotifyOption.options + DetailOption.options
    private static let ownOptions = [
        Option(
            name: "property", letter: "p", argument: .required("NAME=VALUE"), isRepeatable: true,
            help: "Set a property of the workflow's input, converted to its type in the\ninput's schema."),
        Option(
            name: "input", argument: .required("JSON|@FILE|-"),
            help: "The whole input: JSON, a file, or standard input. '-p' overrides it."),
        Option(
            name: "dry-run", argument: .optional("read"),
            help: "Show everything that a run would do, and do nothing. With\n"
                + "'--dry-run=read', requests that only read are sent."),
        Option(
            name: "format", argument: .required("FORMAT"), values: PlanFormat.allCases.map(\.rawValue),
            help: "How a dry run is shown: \(PlanFormat.allCases.map(\.rawValue).joined(separator: ", "))."),
        Option(
            name: "plan-out", argument: .required("FILE"),
            help: "Save the plan of a dry run, to approve it and run it with '--plan'."),
        Option(
            name: "plan", argument: .required("FILE"),
            help: "Do what an approved plan says, with its input, and refuse\neverything else."),
        SandboxOption.option,
        SandboxOption.only,
        SandboxOption.mock,
        Option(
            name: "board",
            help: "With '--sandbox': afterwards, serve a page that shows what the run left in it,\nuntil Ctrl-C."),
        ListenOption.option("for tasks that listen"),
        Option(
            name: "batch",
            help: "Combine reads that are ready at the same time into one request, at most 20."),
        Option(
            name: "events", argument: .required("FILE|-"),
            help: "Write every event of the run as a CloudEvent, one per line."),
        Option(
            name: "no-journal",
            help:
                "Do not keep the run; otherwise it is kept in GRAPHFLOW_HOME and can be resumed\nand shown."),
        RetentionOption.option,
    ]

    private let file: String
    private let input: InputArguments
    private let plans: PlanOptions<PlanFormat>
    private let profile: Sandbox.Profile?
    /// What answers for other services beside the sandbox.
    private let others: SandboxOption.Others
    /// Whether the sandbox can be looked at afterwards.
    private let isServed: Bool
    private let events: String?
    private let listening: UInt16?
    private let options: RunnerOptions
    private let isBatching: Bool
    private let notifier: Notifier?
    /// How many runs are kept; nil if this one is not.
    private let keptCount: Int?
    private let detail: ConsoleRecorder.Detail

    init(_ arguments: ParsedArguments, _ console: Console) throws {
        file = try arguments.operand(
            "workflow file", hint: "graphflow run workflows/share-profile-photo.yaml --sandbox")
        input = try InputArguments(whole: arguments.value("input"), properties: arguments.all("property"))
        plans = try PlanOptions(arguments, purpose: " for a plan")
        profile = try SandboxOption.profile(arguments)
        others = try SandboxOption.others(arguments)
        isServed = arguments.has("board")
        guard profile != nil && plans.mode == nil || !isServed else {
            throw UsageError("'--board' is for runs in the sandbox", hint: "add '--sandbox'")
        }
        events = arguments.value("events")
        listening = try ListenOption.port(arguments)
        options = try RunnerOptions(arguments, console)
        isBatching = arguments.has("batch")
        notifier = try NotifyOption.notifier(arguments, console)
        guard plans.mode == nil || notifier == nil else {
            throw UsageError("'--notify' is for runs", hint: "a dry run notifies nobody: leave it out")
        }
        keptCount = try RetentionOption.count(arguments)
        detail = try DetailOption.detail(arguments)
    }

    func run(on console: Console) async throws -> ExitStatus {
        let (checked, findings) = Workflow.check(contentsOf: URL(fileURLWithPath: file))
        guard let workflow = checked else { throw InvalidWorkflow(diagnostics: findings) }
        let approved = try plans.approved.map { try ApprovedPlan(try DataFile.read($0)) }
        let input: Value
        if let approved, !self.input.isGiven {
            input = approved.input
        } else {
            input = try self.input.value(for: workflow)
        }
        let differences = approved?.differences(to: workflow, input: input, without: options.ownFiles) ?? []
        guard differences.isEmpty else { throw PlanMismatch(differences) }
        let problems = workflow.validate(input: input)
        guard problems.isEmpty else { throw InvalidWorkflow(diagnostics: findings + problems) }
        for warning in findings where detail != .quiet {
            console.complain(painted: warning.text(colour: console.errorHasColour))
        }
        if plans.mode == nil { try SecretsOption.demand(workflow.usedSecrets, in: options.secrets, of: file) }
        if let mode = plans.mode { return try await plan(workflow, input, mode, on: console) }
        return try await perform(workflow, input, as: approved, on: console)
    }

    /// Shows what a run would do.
    private func plan(
        _ workflow: Workflow, _ input: Value, _ mode: Plan.Mode, on console: Console
    ) async throws -> ExitStatus {
        var graph = GraphClient(credential: .environment(console.environment), environment: console.environment)
        if mode == .read {
            graph = try await .forRunning([workflow], in: sandbox, others: others, console, isPlanned: true)
        }
        let base = try graph.baseURL
        let runner = options.runner(over: graph, console)
        let plan: Plan
        do {
            plan = try await runner.plan(workflow, input: input, mode: mode).value
        } catch let error as WorkflowError {
            throw RunFailure(error, of: workflow)
        }
        if let output = plans.output { try ApprovedPlan(plan).value.write(asPlanTo: output, console) }
        plans.format.print(plan, base: base, on: console)
        guard let missing = plan.summary.missingPermissions, !missing.isEmpty else { return .success }
        let names = missing.map(\.permission).joined(separator: ", ")
        console.complain("the token lacks \(names): 'graphflow login --for \(file)' asks for what the workflow needs")
        return .signInRequired
    }

    private func perform(
        _ workflow: Workflow, _ input: Value, as approved: ApprovedPlan?, on console: Console
    ) async throws -> ExitStatus {
        let sandbox = sandbox
        let served = isServed ? try sandbox.map { try ServedSandbox($0) } : nil
        var graph = try await GraphClient.forRunning([workflow], in: sandbox, others: others, console)
        if isBatching { graph = graph.batchingReads() }
        let runs = keptCount.map { _ in RunsFolder.standard(environment: console.environment) }
        let session = RunSession(
            events: events, listening: listening, options: options, journals: runs, isSandboxed: profile != nil,
            notifier: notifier, detail: detail)
        defer { others.report(on: console) }
        defer { if let runs, let keptCount { Retention(keeping: keptCount, in: runs, console).prune() } }
        let perform = { [graph] in
            try await session.perform(workflow, over: graph, on: console) { runner in
                approved.map { runner.run(workflow, input: input, as: $0) } ?? runner.run(workflow, input: input)
            }
        }
        guard let served else { return others.status(after: try await perform()) }
        return others.status(after: await served.show(on: console, after: perform))
    }

    /// A new sandbox; nil for the real service.
    private var sandbox: Sandbox? { profile.map { Sandbox(profile: $0) } }
}
