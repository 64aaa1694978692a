/// What `graphflow mcp` was started with: the accounts, and what agents may do.
struct AgentSetup: Sendable {
    let console: Console
    /// The console with the credential that plans are made with; nil for that of the runs.
    let planningConsole: Console?
    let settings: RunnerSettings
    /// What answers instead of Microsoft, for plans and runs alike; nil for Microsoft.
    let sandbox: Sandbox?
    /// The contents of a rehearsal's sandbox.
    let rehearsed: SandboxDescription
    let policy: ApprovalPolicy
    let bounds: EffectBounds
    /// Whether a form of the client counts as an approval.
    let acceptsForms: Bool
    /// How long a plan can be approved.
    let patience: Duration
    let age: PlanAgeOption
    let runs: RunsFolder
    let suspension = Suspension(awaitsPrograms: true)
    let interrupt = Interrupt()

    /// A runner for the plan of a workflow; only requests that read are sent.
    func planner(of workflow: Workflow) async throws -> Runner {
        try SecretsOption.demand(workflow.usedSecrets, in: settings.secrets, of: workflow.metadata.name)
        let graph = try await GraphClient.forRunning(
            [workflow], in: sandbox, planningConsole ?? console, planned: .read)
        return configured(settings.runner(over: graph, console, in: sandbox))
    }

    func runner(of workflow: Workflow, recorders: [Recorder]) async throws -> Runner {
        try SecretsOption.demand(workflow.usedSecrets, in: settings.secrets, of: workflow.metadata.name)
        let graph = try await GraphClient.forRunning([workflow], in: sandbox, console)
        return configured(settings.runner(over: graph, console, in: sandbox, recorders: recorders))
    }

    /// What decides whether the run of a plan begins or continues.
    var desk: RunDesk {
        RunDesk(runs, in: sandbox, over: { try await GraphClient.forRunning([], in: sandbox, console) }, console)
    }

    var order: RunOrder {
        var order = RunOrder(.agent, under: policy, patience: patience)
        (order.acceptsForms, order.hasSandbox) = (acceptsForms, sandbox != nil)
        return order
    }

    private func configured(_ runner: Runner) -> Runner {
        var runner = runner
        runner.journals = runs
        runner.isSandboxed = sandbox != nil
        runner.isOfAgent = true
        runner.suspension = suspension
        runner.interrupt = interrupt
        runner.approver = .waiting(console, in: sandbox)
        return runner
    }

    /// The run of an agent's plan.
    /// - Throws: ``AgentRefusal`` if an agent planned no such run here.
    func summary(of run: String) throws -> RunSummary {
        let unknown = AgentRefusal(
            "there is no plan or run '\(PlainText.exact(run, limit: 100))'",
            next: "Plan the workflow again with its plan tool.")
        // Also because it becomes part of a path.
        guard run.utf8.count == 26, run.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }), runs.exists(run)
        else { throw unknown }
        let summary = try runs.summary(of: run)
        guard summary.isOfAgent, summary.isSandboxed == (sandbox != nil) else { throw unknown }
        return summary
    }

    /// A value with the tokens and secrets of this process concealed.
    func shown(_ value: Value) -> Value {
        let bytes = value.jsonData()
        let concealed = ConcealedBytes.conceal(bytes, console.secrets)
        return concealed == bytes ? value : (try? Value(json: concealed)) ?? .null
    }
}

/// Why an agent does not get what it asked for, and what it can do next.
struct AgentRefusal: Error {
    let reason: String
    let next: String?
    var members: Object = [:]

    init(_ reason: String, next: String? = nil, _ members: Object = [:]) {
        (self.reason, self.next, self.members) = (reason, next, members)
    }
}
