public import Promises

extension Runner {
    /// Runs a workflow according to an approved plan.
    ///
    /// Before the first effect, the workflow, its files and its input are compared with the plan's digests, and a new
    /// plan with the approved one. During the run, a request that would change something and is not in the plan is not
    /// sent, and the run fails with ``PlanDeviation``.
    /// - Parameters:
    ///   - workflow: The workflow to run.
    ///   - input: The workflow's input; nil for that of the plan.
    ///   - approved: The plan.
    /// - Returns: The workflow's output; rejected with ``PlanMismatch`` if anything differs, before anything is sent.
    public func run(_ workflow: Workflow, input: Value? = nil, as approved: ApprovedPlan) -> Promise<Value> {
        let input = input ?? approved.input
        let differences = approved.differences(to: workflow, input: input)
        guard differences.isEmpty else { return Promise(error: PlanMismatch(differences)) }
        var planning = self
        // Recorders are notified of the real run only.
        planning.recorders = []
        return planning.plan(workflow, input: input, mode: approved.mode).then { plan -> Promise<Value> in
            let differences = approved.differences(to: plan)
            guard differences.isEmpty else { throw PlanMismatch(differences) }
            var runner = self
            let approval = Approval(plan, secrets: secrets)
            runner.approval = approval
            runner.graph.transport = ApprovingTransport(approval, over: graph.transport)
            return runner.run(workflow, input: input)
        }
    }
}
