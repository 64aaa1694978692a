public import Promises

extension Runner {
    /// Runs a workflow as an approved plan has it, and refuses what differs.
    ///
    /// Before the first effect the workflow, what it refers to and its input are compared with the plan's digests, and a
    /// new plan with the approved one. While it runs, a request that would change something and is not in the plan is
    /// not sent, and the run fails with ``PlanDeviation``.
    /// - Parameters:
    ///   - workflow: What to run.
    ///   - input: The workflow's input; nil for that of the plan.
    ///   - approved: The plan.
    /// - Returns: The workflow's output; rejected with ``PlanMismatch`` where anything differs and nothing was sent.
    public func run(_ workflow: Workflow, input: Value? = nil, as approved: ApprovedPlan) -> Promise<Value> {
        let input = input ?? approved.input
        let differences = approved.differences(to: workflow, input: input)
        guard differences.isEmpty else { return Promise(error: PlanMismatch(differences)) }
        var planning = self
        // Who listens to runs hears of the one that is in earnest.
        planning.recorders = []
        return planning.plan(workflow, input: input, mode: approved.mode).then { plan -> Promise<Value> in
            let differences = approved.differences(to: plan)
            guard differences.isEmpty else { throw PlanMismatch(differences) }
            var runner = self
            runner.graph.transport = ApprovingTransport(plan, over: graph.transport)
            return runner.run(workflow, input: input)
        }
    }
}
