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
    var sandbox: Sandbox?
    /// What answers for services other than the sandbox.
    var others = SandboxOption.Others.network

    init(
        of workflow: Workflow, input: Value, as approved: ApprovedPlan?, planned mode: Plan.Mode?,
        under policy: ApprovalPolicy?, _ options: RunnerSettings
    ) {
        order = RunOrder(.person, under: policy)
        (order.hasPlan, order.isPlanned) = (approved != nil, mode != nil)
        (self.workflow, self.input, self.approved, self.mode) = (workflow, input, approved, mode)
        self.options = options
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
