extension Runner {
    /// Plans a workflow with a dry run: the same engine and functions, over a transport that sends nothing.
    ///
    /// It does not wait, and no timeout expires.
    /// - Parameters:
    ///   - workflow: The workflow to plan.
    ///   - input: The workflow's input.
    ///   - mode: Whether requests that only read are sent; without them no credential is needed.
    /// - Returns: The plan; rejected like ``run(_:input:)``.
    public func plan(_ workflow: Workflow, input: Value = [:], mode: Plan.Mode = .dry) -> Promise<Plan> {
        plan(workflow, input: input, mode: mode, at: now()) { $0.run(workflow, input: input) }
    }

    /// Plans for the moment of an earlier plan.
    func plan(_ workflow: Workflow, input: Value, mode: Plan.Mode, at moment: Date) -> Promise<Plan> {
        plan(workflow, input: input, mode: mode, at: moment) { $0.run(workflow, input: input) }
    }

    /// Plans how a run would continue, with the results that its journal has.
    ///
    /// Nothing is written, and what the journal conceals is unknown.
    /// - Parameters:
    ///   - workflow: The workflow, unchanged or with accepted changes.
    ///   - journal: The run's journal.
    ///   - events: The events in it.
    ///   - changes: The accepted changes of the workflow; nil for none.
    ///   - place: The execution from which everything is performed again; nil to continue where the run ended.
    ///   - assumption: The user's answer about effects whose outcome is unknown; nil for none.
    ///   - mode: Whether requests that only read are sent.
    /// - Returns: The plan of what is left; rejected like ``plan(_:input:mode:)``, and with ``UnsettledEffects`` if the
    ///   user must state what happened.
    public func plan(
        resuming workflow: Workflow, _ journal: Journal, from events: [Event],
        accepting changes: WorkflowChanges? = nil, beginningAt place: Event.Parent? = nil,
        assuming assumption: Assumption? = nil, mode: Plan.Mode = .dry
    ) -> Promise<Plan> {
        if let refusal = Self.refusal(of: workflow, journal.header) { return Promise(error: refusal) }
        return firstly {
            let known = KnownSecrets(secrets, sealedBy: journal.sealing, opensSeals: false)
            return try going(on: journal.header).plan(
                resuming: workflow, RunIdentity(journal), input: try known.input(of: journal.header), from: events,
                blobs: journal.blobs, Event.Resumption(changes, from: place), assuming: assumption, mode: mode)
        }
    }

    /// Plans how a run would continue after its events.
    func plan(
        resuming workflow: Workflow, _ identity: RunIdentity, input: Value, from events: [Event], blobs: BlobStore,
        _ resumption: Event.Resumption, assuming assumption: Assumption?, mode: Plan.Mode
    ) -> Promise<Plan> {
        plan(workflow, input: input, mode: mode, at: now()) { runner in
            runner.resume(
                workflow, as: identity, input: input, from: events, log: RunLog(reading: blobs), resumption,
                assuming: assumption)
        }.map { plan in
            var plan = plan
            plan.continuedRun = identity.id
            return plan
        }
    }

    /// Plans the run of a valid item of a batch; the `library` is read once for all items.
    /// - Parameters:
    ///   - begun: The batch, if the item may have begun in it.
    ///   - contested: The objects that other items write as well.
    func plan(
        _ workflow: Workflow, _ item: BatchItem, after begun: BatchPast.Opened? = nil, mode: Plan.Mode,
        at moment: Date, contested: Set<String>, _ library: WorkflowLibrary
    ) -> Promise<Plan> {
        plan(workflow, input: item.input, mode: mode, at: moment, contested: contested) {
            var runner = $0
            runner.mailIdentity?.itemKey = item.key
            guard let (past, _, journal) = begun else {
                return runner.perform(Run(workflow, by: runner, library: library), item.input)
            }
            guard !past.wasUndone(item) else { return Promise(error: Batch.undone) }
            return past.perform(
                item, of: workflow, by: runner, as: past.identity(of: item, in: journal, at: moment),
                log: RunLog(reading: journal.blobs), library)
        }.map { plan in
            // A batch that runs makes the plans of its items again.
            var plan = plan
            plan.plannedBy = nil
            return plan
        }
    }

    private func plan(
        _ workflow: Workflow, input: Value, mode: Plan.Mode, at moment: Date, contested: Set<String> = [],
        _ perform: (Runner) -> Promise<Value>
    ) -> Promise<Plan> {
        // Rounded as in the plan's JSON.
        let moment = moment.inWholeMilliseconds
        let transport = PlanningTransport(reading: mode == .read ? graph.transport : nil, contested: contested)
        let planner = Planner(transport)
        // Weak: the planner keeps the transport, and a batch makes thousands of plans.
        transport.onRequest(isNamed: { [weak planner] in planner?.names.knows($0) ?? false }) {
            [weak planner] request in
            planner.map { $0.add(.request(request.naming(by: $0.names))) }
        }
        var runner = self
        runner.world = PlanningWorld(planner, at: moment)
        (runner.journals, runner.events, runner.approvals) = (nil, nil, nil)
        runner.clock = PlanningClock(planner)
        runner.graph.transport = transport
        let id = transport.unknowns.token(for: Unknown("new for each request", .text))
        runner.graph.ids = { id }
        if mode == .dry {
            runner.graph.clock = PlanningClock()
            // Planned requests must not wait for the limits of real ones.
            runner.graph.gate = RequestGate()
            // Never sent: the transport sends nothing, and the plan shows no token.
            runner.graph.credential = .fixed(PlanningCredential.none)
        } else {
            runner.graph.credential = PlanningCredential(real: graph.credential)
            // Otherwise the gate would mistake the plan's clock for a test clock.
            runner.graph.gate = graph.gateInUse
        }
        return perform(runner).map { output -> Plan in
            var plan = Plan(
                workflow: workflow, input: input, mode: mode, plannedAt: moment, tasks: planner.tasks,
                output: output.drawn())
            plan.markedOutput = output
            plan.expected = planner.expected
            plan.effort = planner.learning.withLock(\.effort)
            plan.unknowns = planner.unknowns
            plan.files = planner.files.digests
            plan.hasAllFiles = planner.files.hasAll
            plan.gaps = planner.gaps
            plan.variables = givenVariables
            plan.perspective = perspective
            plan.plannedBy = perspective.objectID
            plan.ownFiles = ownFiles
            plan.notifications = notifications
            return plan
        }.recover { error -> Promise<Plan> in
            guard let error = error as? WorkflowError else { throw error }
            throw planner.unknowns.drawn(error)
        }.then { [graph] plan in mode == .read ? plan.asking(graph.credential) : .value(plan) }
    }
}

extension Plan {
    /// The plan with the token's permissions, if they are known.
    fileprivate func asking(_ credential: any Credential) -> Promise<Plan> {
        let grant =
            (credential as? any GrantingCredential)?.grant(for: TokenNeed([]))
            ?? credential.token(for: []).map(on: nil) { TokenGrant($0, source: "") }
        return grant.map(on: nil) { grant in
            var plan = self
            let claims = grant.token.claimedPermissions
            plan.grantedPermissions = claims?.names ?? grant.scopes
            plan.isApplication = claims?.isApplication ?? grant.isApplication
            plan.plannedBy = grant.token.claimedObjectID ?? plan.plannedBy
            return plan
        }.recover(on: nil) { error -> Promise<Plan> in
            // The token's permissions are then unknown, and the plan is valid without them.
            guard error is CredentialError else { throw error }
            return .value(self)
        }
    }
}
