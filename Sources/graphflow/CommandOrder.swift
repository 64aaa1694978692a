/// What a command line asks for, found out without performing anything: a run of a workflow, or its plan.
struct CommandOrder: Sendable {
    /// Who asks, under which demands; ``RunDesk`` answers it.
    var order: RunOrder
    let workflow: Workflow
    let input: Value
    /// The plan to follow; nil for none.
    let approved: ApprovedPlan?
    /// How it is only planned; nil to perform it.
    let mode: Plan.Mode?
    let options: RunnerSettings
    /// Microsoft Graph in this process; nil for the real one.
    let sandbox: Sandbox?
    /// What answers for services other than the sandbox.
    let others: SandboxOption.Others

    /// - Parameters:
    ///   - demand: Whose approvals the options demand; a dry run needs none.
    ///   - kept: The approvals of a run that continues.
    init(
        of workflow: Workflow, input: Value, as approved: ApprovedPlan?, planned mode: Plan.Mode?,
        under demand: ApprovalDemand, approvedBy kept: [Value] = [], _ options: RunnerSettings,
        in sandbox: Sandbox? = nil, others: SandboxOption.Others = .network, _ console: Console
    ) throws(UsageError) {
        order = RunOrder(.person, under: mode == nil ? try demand.policy(console, of: kept) : nil)
        (order.hasPlan, order.isPlanned, order.hasSandbox) = (approved != nil, mode != nil, sandbox != nil)
        (self.workflow, self.input, self.approved, self.mode) = (workflow, input, approved, mode)
        (self.options, self.sandbox, self.others) = (options, sandbox, others)
    }

    /// The client for the Microsoft Graph that answers.
    func graph(_ console: Console) async throws -> GraphClient {
        try await GraphClient.forRunning([workflow], in: sandbox, others: others, console, planned: mode)
    }

    /// Begins the run, which follows the plan if there is one.
    func begin(by runner: Runner) -> Promise<Value> {
        approved.map { runner.run(workflow, input: input, as: $0) } ?? runner.run(workflow, input: input)
    }
}
