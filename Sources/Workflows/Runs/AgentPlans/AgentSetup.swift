/// What agents may do, and with what their workflows are planned and run.
package struct AgentSetup: Sendable {
    package var policy: ApprovalPolicy
    package var bounds: EffectBounds
    /// Whether a form of the client counts as an approval.
    package var acceptsForms: Bool
    /// How long a plan can be approved.
    package var patience: Duration
    package var age: PlanAge
    /// What decides whether the run of a plan begins or continues.
    package var desk: RunDesk
    /// Whether a sandbox of this process answers, for plans and runs alike.
    package var isSandboxed: Bool
    package var secrets: SecretStore
    package var used: UsedApprovals
    /// Makes the runner of a workflow's plan, which only sends requests that read.
    package var planner: @Sendable (Workflow) async throws -> Runner
    /// Whether plans are made with another credential than runs.
    package var hasOwnPlanner = false
    package var runner: @Sendable (Workflow) async throws -> Runner
    /// Conceals the tokens and secrets of this process.
    package var conceal: @Sendable (Data) -> Data
    /// How a person approves the plan of a run, in words.
    package var ways: @Sendable (_ run: String) -> String
    package var notify: @Sendable (RunNotice) -> Void

    let suspension = Suspension(awaitsPrograms: true)
    let interrupt = Interrupt()

    package var runs: RunsFolder { desk.runs }

    package init(
        under policy: ApprovalPolicy, within bounds: EffectBounds, at desk: RunDesk, isSandboxed: Bool,
        with secrets: SecretStore, used: UsedApprovals,
        planner: @escaping @Sendable (Workflow) async throws -> Runner,
        runner: @escaping @Sendable (Workflow) async throws -> Runner,
        conceal: @escaping @Sendable (Data) -> Data, ways: @escaping @Sendable (String) -> String,
        notify: @escaping @Sendable (RunNotice) -> Void
    ) {
        (self.policy, self.bounds, self.desk, self.isSandboxed) = (policy, bounds, desk, isSandboxed)
        (self.secrets, self.used, self.planner, self.runner) = (secrets, used, planner, runner)
        (self.conceal, self.ways, self.notify) = (conceal, ways, notify)
        (acceptsForms, patience, age) = (false, .seconds(8 * 3_600), PlanAge(most: .seconds(86_400)))
    }

    var order: RunOrder {
        var order = RunOrder(.agent, under: policy, patience: patience)
        (order.acceptsForms, order.hasSandbox) = (acceptsForms, isSandboxed)
        return order
    }

    func configured(_ runner: Runner) -> Runner {
        var runner = runner
        runner.journals = runs
        runner.isSandboxed = isSandboxed
        runner.isOfAgent = true
        runner.suspension = suspension
        runner.interrupt = interrupt
        return runner
    }

    /// The run of an agent's plan.
    /// - Throws: ``AgentRefusal`` if an agent planned no such run here.
    package func summary(of run: String) throws -> RunSummary {
        let unknown = AgentRefusal(
            "there is no plan or run '\(PlainText.exact(run, limit: 100))'",
            next: "Plan the workflow again with its plan tool.")
        // Also because it becomes part of a path.
        guard run.utf8.count == 26, run.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }), runs.exists(run)
        else { throw unknown }
        let summary = try runs.summary(of: run)
        guard isOwn(summary) else { throw unknown }
        return summary
    }

    /// The newest runs and plans of agents.
    package func newest(_ count: Int) -> [RunSummary] { (try? runs.summaries(limit: count, where: isOwn)) ?? [] }

    private func isOwn(_ summary: RunSummary) -> Bool { summary.isOfAgent && summary.isSandboxed == isSandboxed }
}

/// Why an agent does not get what it asked for, and what it can do next.
package struct AgentRefusal: Error {
    package let reason: String
    package let next: String?
    package var members: Object = [:]

    package init(_ reason: String, next: String? = nil, _ members: Object = [:]) {
        (self.reason, self.next, self.members) = (reason, next, members)
    }
}
