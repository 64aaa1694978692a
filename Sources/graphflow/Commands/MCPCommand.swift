/// `graphflow mcp`: lets agents plan workflows and run approved plans, over the Model Context Protocol.
struct MCPCommand: Command {
    static let name = "mcp"
    static let summary = "Let agents plan workflows, and run what people approve."
    static let examples = [
        "mcp workflows", "mcp workflows --print-config claude", "mcp workflows --sandbox --http 8931",
    ]
    static let discussion = """
        Serves workflow files, and those in folders, to agents that speak the Model Context Protocol: on standard input
        and output, or over HTTP with '--http'. An agent can plan a workflow, which changes nothing, and rehearse it in
        a sandbox. A plan with effects runs only after a person has approved it outside of the agent: with 'graphflow
        approve', on the board, or at the address in the answer. It runs once, exactly as approved.

        Runs use the credentials of 'graphflow run'. 'graphflow help let-an-agent-do-it' is the guide.
        """

    @Operand("FILE|FOLDER…", "workflow files", hint: "graphflow mcp workflows") private var operands: [String]
    @Option(
        "http", "[ADDRESS:]PORT",
        "Serve streamable HTTP at this port of 127.0.0.1. Another address needs\n'--token-file'.",
        as: Conversion({ ListeningAddress($0) }) { text, name in
            UsageError("'\(text)' is not an address to listen at", hint: "write \(name) 8931 or 127.0.0.1:8931")
        })
    private var address: ListeningAddress?
    @Option("token-file", "FILE", "A file of the bearer tokens that agents connect with, one per line.")
    private var tokenFile: String?
    @Option(
        "print-config", "CLIENT",
        "Print the configuration for an agent's program: "
            + "\(ClientConfiguration.allCases.map(\.rawValue).joined(separator: ", ")).", as: .choice("client"))
    private var client: ClientConfiguration?
    private let sandbox = SandboxOption()
    @Option(
        "approve", "form",
        "Let a form in the agent's program approve plans. It does not prove\nthat a person saw them.",
        as: .choice("way to approve"))
    private var way: Way?
    @Option(
        "approvers", "NAME,…", "Who may approve: user principal names or object ids\n(default: anyone in the tenant).",
        as: .names)
    private var approvers: [String]?
    @Option("approvals", "N", "How many different people must approve (default: 1).", as: .count(from: 1))
    private var count: Int?
    @Flag("self-approval", "Let approvers approve what they planned or run themselves.") private var isSelf
    @Option(
        "approval-expires", "TIME", "How long a plan can be approved: 30m, 48h (default: 8h).", as: .time(from: 1))
    private var patience = Duration.seconds(8 * 3_600)
    private let age = PlanAgeOption()
    private let limits = BoundOptions()
    @Option(
        "planning-env-file", "FILE",
        "Make plans with the credential in this file of variables. It needs no\npermission to write. Runs use their usual one."
    )
    private var planningFile: String?
    private let options = RunnerOptions()

    var bounds: EffectBounds { limits.bounds }

    enum Way: String, CaseIterable, Sendable { case form }

    func validate() throws(UsageError) {
        guard way == nil || approvers == nil else {
            throw UsageError(
                "'--approve form' is for plans that need no signed approval, and '--approvers' demands one")
        }
        for option in [$count, $isSelf] as [any DeclaredOption] where option.isGiven && approvers == nil {
            throw UsageError("'\(option.syntax.dashed)' needs '--approvers'")
        }
        guard let address else {
            guard tokenFile == nil else {
                throw UsageError("'--token-file' is for '--http'", hint: "add '--http PORT'")
            }
            return
        }
        guard address.isLoopback || tokenFile != nil else {
            throw UsageError(
                "others can reach '\(address)' and could plan and run workflows: add '--token-file' to say who may",
                hint: "or serve only this machine: --http \(address.port)")
        }
    }

    func run(on console: Console) async throws -> ExitStatus {
        if let client { return printConfiguration(of: client, on: console) }
        if way != nil { try ApprovalDemand.refuse("a form of an agent's program is no signed approval", console) }
        let agents = try agents(on: console)
        defer { agents.address.stop() }
        SystemThread.start { agents.plans.expireFormer() }
        let tokens = try tokenFile.map { file throws(UsageError) in try ReceptionOption.tokens(file) }
        return try await serve(agents, tokens, on: console)
    }

    /// What the options describe, before anything listens.
    func agents(on console: Console) throws -> AgentServer {
        let policy = try policy(console)
        let workflows = AgentWorkflows(operands)
        let (entries, problems) = workflows.all
        let named = problems.filter { workflows.isNamed($0.file) || $0.isRepeated }
        guard named.isEmpty else { throw InvalidWorkflow(diagnostics: named.flatMap(\.diagnostics)) }
        for problem in problems { console.complain("warning: \(problem.file) is left out:\n\(problem.text)") }
        guard !entries.isEmpty else {
            throw UsageError("there is no workflow in '\(operands.joined(separator: "', '"))'")
        }
        let (address, settings) = (
            ApprovalAddress(environment: console.environment), try options.settings(ownFiles: [], console)
        )
        let setup = try setup(under: policy, settings, address, console)
        let plans = AgentPlans(setup)
        let retention = Retention(keeping: RetentionOption.usual, in: setup.runs, console)
        return AgentServer(
            setup, workflows, plans, AgentRuns(setup, plans, onEnd: retention.prune), approvedAt: address,
            rehearsedIn: Rehearsal(sandbox: sandbox.description, settings: settings, console: console))
    }

    private func setup(
        under policy: ApprovalPolicy, _ settings: RunnerSettings, _ address: ApprovalAddress, _ console: Console
    ) throws(UsageError) -> AgentSetup {
        let (sandbox, other) = (sandbox.sandbox, try planningConsole(console))
        // With the account of the runs, whosever credential makes the plans.
        let runner = { @Sendable (workflow: Workflow, access: Console, mode: Plan.Mode?) async throws -> Runner in
            try SecretsOption.demand(workflow.usedSecrets, in: settings.secrets, of: workflow.metadata.name)
            let graph = try await GraphClient.forRunning([workflow], in: sandbox, access, planned: mode)
            return settings.runner(over: graph, console, in: sandbox)
        }
        var setup = AgentSetup(
            under: policy, within: bounds,
            at: RunDesk(
                .standard(environment: console.environment), in: sandbox,
                over: { try await GraphClient.forRunning([], in: sandbox, console) }, console),
            isSandboxed: sandbox != nil, with: settings.secrets,
            used: UsedApprovals(environment: console.environment),
            planner: { try await runner($0, other ?? console, .read) },
            runner: { workflow in
                var runner = try await runner(workflow, console, nil)
                runner.approver = .waiting(console, in: sandbox)
                return runner
            },
            conceal: { ConcealedBytes.conceal($0, console.secrets) }, ways: address.ways(to:), notify: console.tell)
        (setup.acceptsForms, setup.patience, setup.age) = (way == .form, patience, age.limit)
        setup.hasOwnPlanner = other != nil
        return setup
    }

    /// Continues the runs in progress in other programs.
    private func end(_ agents: AgentServer, on console: Console) async {
        let demanded: [any DeclaredOption] = ApprovalDemand.isRequired(console) ? [$approvers, $count, $isSelf] : []
        let (words, runs) = (options.words() + demanded.flatMap(\.given), agents.setup.runs)
        await agents.runs.end { run in
            let size = try runs.journalSize(of: run)
            try OwnProgram(environment: console.environment).start(["resume", run] + words) {
                ((try? runs.journalSize(of: run)) ?? size) > size
            }
        }
    }

    private func serve(_ agents: AgentServer, _ tokens: BearerTokens?, on console: Console) async throws -> ExitStatus {
        let ended = Promise<Void>.pending()
        let interruption = Interruption(on: console) { ended.resolver.fulfill(()) }
        defer { interruption.end() }
        if let address {
            let listener = MCPListener(agents.server, tokens: tokens)
            let port: UInt16
            do throws(SystemError) { port = try listener.start(at: address) } catch {
                throw UsageError(
                    "port \(address.port) cannot be opened: \(error.isAddressInUse ? "it is in use" : error.description)"
                )
            }
            console.complain("listening for agents at http://\(address.at(port: port))/mcp")
            try await ended.promise.value
            await end(agents, on: console)
            listener.stop()
        } else {
            let connection = agents.server.serve(input: STDIN_FILENO, output: STDOUT_FILENO)
            SystemThread.start {
                connection.run()
                ended.resolver.fulfill(())
            }
            try await ended.promise.value
            await end(agents, on: console)
            connection.close()
            connection.drain(for: .seconds(1))
        }
        return interruption.status ?? .success
    }

    private func policy(_ console: Console) throws(UsageError) -> ApprovalPolicy {
        guard let approvers else {
            guard !ApprovalDemand.isRequired(console) else {
                throw UsageError(
                    "GRAPHFLOW_REQUIRE_APPROVAL needs '--approvers'",
                    hint: "add '--approvers NAME,…', with user principal names or object ids")
            }
            return ApprovalPolicy(allowsSelf: true)
        }
        return ApprovalPolicy(approvers: approvers, count: count ?? 1, allowsSelf: isSelf)
    }

    /// The console with the credential for plans, and without that of the runs.
    private func planningConsole(_ console: Console) throws(UsageError) -> Console? {
        guard let planningFile else { return nil }
        let variables = try EnvironmentFile.variables(ofFile: planningFile)
        guard variables["GRAPHFLOW_ACCESS_TOKEN"] != nil || variables["AZURE_CLIENT_ID"] != nil else {
            throw UsageError(
                "'--planning-env-file' has no credential",
                hint: "set GRAPHFLOW_ACCESS_TOKEN, or AZURE_CLIENT_ID and AZURE_CLIENT_SECRET, in it")
        }
        let own = console.environment.keys.filter {
            $0 == "GRAPHFLOW_ACCESS_TOKEN" || $0 == "AZURE_FEDERATED_TOKEN_FILE" || $0.hasPrefix("AZURE_CLIENT_")
        }
        return console.replacing(own, by: variables)
    }

    private func printConfiguration(of client: ClientConfiguration, on console: Console) -> ExitStatus {
        let url = address.map { "http://\($0)/mcp" }
        let files = operands.map(\.wholePath)
        console.complain("for \(client.place(isRemote: address != nil)):")
        console.print(
            client.text(
                program: OwnProgram.installed, arguments: ["mcp"] + files + words(without: $client.syntax.name),
                url: url, hasToken: tokenFile != nil))
        return .success
    }
}
