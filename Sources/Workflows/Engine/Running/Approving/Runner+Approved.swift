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
        return planning.plan(workflow, input: input, mode: approved.mode).then { plan -> Promise<Value> in
            let differences = approved.differences(to: plan)
            guard differences.isEmpty else { throw PlanMismatch(differences) }
            return self.doing(plan).run(workflow, input: input)
        }
    }

    /// A runner for a run according to an approved plan of a batch.
    ///
    /// Before the first effect, a new plan of the item's run is compared with the approved one's digest. During the run,
    /// a request that would change something and is not in the plan is not sent, and the run fails with
    /// ``PlanDeviation``.
    /// - Parameter library: The workflows that the workflow runs, read once for all items.
    /// - Returns: The runner for the item; rejected with ``PlanMismatch`` if its run would be another one.
    func approved(
        for item: BatchItem, of workflow: Workflow, as approved: ApprovedBatch, _ library: WorkflowLibrary
    ) -> Promise<Runner> {
        planning.plan(workflow, item, mode: approved.mode, library).map { plan in
            try approved.demand(plan, of: item.name)
            return self.doing(plan)
        }
    }

    /// The same runner without recorders, which are notified of real runs only.
    private var planning: Runner {
        var runner = self
        runner.recorders = []
        return runner
    }

    /// The same runner, which does nothing but what a plan says.
    func doing(_ plan: Plan) -> Runner {
        var runner = self
        let approval = Approval(plan, secrets: secrets)
        runner.approval = approval
        runner.graph.transport = ApprovingTransport(approval, over: graph.transport)
        return runner
    }
}
