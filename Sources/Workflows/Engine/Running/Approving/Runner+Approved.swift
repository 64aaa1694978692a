extension Runner {
    /// Runs a workflow according to an approved plan.
    ///
    /// Before the first effect, the workflow, its files and its input are compared with the plan's digests, and a new
    /// plan with the approved one. During the run, a request that would change something and is not in the plan is not
    /// sent, and the run fails with ``PlanDeviation``. A run with a journal keeps the plan; resuming it follows the
    /// plan.
    /// - Parameters:
    ///   - workflow: The workflow to run.
    ///   - input: The workflow's input; nil for that of the plan.
    ///   - approved: The plan.
    /// - Returns: The workflow's output; rejected with ``PlanMismatch`` if anything differs, before anything is sent.
    public func run(_ workflow: Workflow, input: Value? = nil, as approved: ApprovedPlan) -> Promise<Value> {
        let input = input ?? approved.input
        return keeping(to: approved, workflow, input: input).then { $0.run(workflow, input: input) }
    }

    /// The runner of an item according to an approved plan of a batch; rejected if a new plan has another digest.
    ///
    /// It works as ``run(_:input:as:)``. The `library` is read once for all items.
    func approved(
        for item: BatchItem, of workflow: Workflow, as approved: ApprovedBatch, _ library: WorkflowLibrary
    ) -> Promise<Runner> {
        planning.plan(
            workflow, item, mode: approved.mode, at: approved.plannedAt, contested: approved.contested, library
        ).map { plan in
            try approved.demand(plan, of: item)
            return self.doing(plan, approvedAs: approved.plan)
        }
    }

    /// A runner that follows an approved plan; rejected with ``PlanMismatch`` if a new plan differs.
    ///
    /// `reads` is what the plan read when its run began; nil to read it now.
    func keeping(
        to approved: ApprovedPlan, _ workflow: Workflow, input: Value, reading reads: PlannedReads? = nil
    ) -> Promise<Runner> {
        let differences = approved.differences(to: workflow, input: input, without: ownFiles)
        guard differences.isEmpty else { return Promise(error: PlanMismatch(differences)) }
        let reads = approved.mode == .read ? reads ?? PlannedReads(by: graph.transport) : nil
        var planning = planning
        if let reads { planning.graph.transport = reads }
        return planning.plan(workflow, input: input, mode: approved.mode, at: approved.plannedAt).map { plan in
            let differences = approved.differences(to: plan)
            guard differences.isEmpty else { throw PlanMismatch(differences) }
            var runner = self.doing(plan, approvedAs: approved.plan)
            runner.keptPlan = KeptPlan(approved, reads: reads)
            return runner
        }
    }

    /// The runner without recorders, which are notified of real runs only.
    private var planning: Runner {
        var runner = self
        runner.recorders = []
        return runner
    }

    /// A runner that follows a plan, and reads only the approved files.
    func doing(_ plan: Plan, approvedAs approved: Value? = nil) -> Runner {
        var plan = plan
        if let approved { plan.files = plan.files.filter { approved["files"]?[$0.key] != nil } }
        var runner = self
        let approval = Approval(plan)
        runner.world = LiveWorld(approval: approval)
        runner.graph.transport = ApprovingTransport(approval, over: graph.transport)
        return runner
    }
}
