public import Promises

extension Runner {
    /// Performs a workflow dry: the same engine and the same functions, with a transport that has no socket.
    ///
    /// Waits for nothing, and lets no timeout end.
    /// - Parameters:
    ///   - workflow: What to plan.
    ///   - input: The workflow's input.
    ///   - mode: Whether requests that only read are sent; without them no credential is needed.
    /// - Returns: What would be done; rejected as ``run(_:input:)`` is.
    public func plan(_ workflow: Workflow, input: Value = [:], mode: Plan.Mode = .dry) -> Promise<Plan> {
        let transport = PlanningTransport(reading: mode == .read ? graph.transport : nil)
        let planner = Planner(transport)
        transport.onRequest { planner.add(.request($0)) }
        var runner = self
        runner.planner = planner
        runner.clock = PlanningClock(planner)
        runner.graph.transport = transport
        runner.graph.ids = { "‹new for each request›" }
        if mode == .dry {
            runner.graph.clock = PlanningClock()
            // What holds back real requests must not hold back planned ones.
            runner.graph.gate = RequestGate()
            // Never sent: the transport has nowhere to send it to, and the plan shows every token as ‹token›.
            runner.graph.credential = .fixed(PlanningCredential.none)
        } else {
            runner.graph.credential = PlanningCredential(real: graph.credential)
            // The plan's own clock must not tell the gate that it is one of a test.
            runner.graph.gate = graph.gateInUse
        }
        return runner.run(workflow, input: input).map { output -> Plan in
            var plan = Plan(workflow: workflow, input: input, mode: mode, tasks: planner.tasks, output: output)
            plan.derivations = planner.derivations
            return plan
        }.then { [graph] plan in mode == .read ? plan.asking(graph.credential) : .value(plan) }
    }
}

extension Plan {
    /// The same plan with what is known of the token's permissions.
    fileprivate func asking(_ credential: any Credential) -> Promise<Plan> {
        let grant =
            (credential as? any GrantingCredential)?.grant(for: TokenNeed([]))
            ?? credential.token(for: []).map(on: nil) { TokenGrant($0, source: "") }
        return grant.map(on: nil) { grant in
            var plan = self
            let claims = grant.token.claimedPermissions
            plan.grantedPermissions = claims?.names ?? grant.scopes
            plan.isApplication = claims?.isApplication ?? grant.isApplication
            return plan
        }.recover(on: nil) { error -> Promise<Plan> in
            // What the token may do is then not known, and the plan is what it is.
            guard error is CredentialError else { throw error }
            return .value(self)
        }
    }
}
