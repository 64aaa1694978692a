/// Plans that agents make, and the people's approvals of them.
///
/// A plan with effects is a run that waits for approval: people find it with `graphflow runs`, and decide with
/// `graphflow approve` and `graphflow reject`. A plan that only reads is kept in memory.
package final class AgentPlans: Sendable {
    /// A plan that was made.
    package struct Made: Sendable {
        /// The name of its run.
        package let name: String
        package let plan: Plan
        package let approved: ApprovedPlan
        package let expires: Date
        package var needsApproval: Bool { !plan.effects.isEmpty }
    }

    /// A plan that needs no approval.
    package struct Ready: Sendable {
        package let workflow: Workflow
        package let plan: ApprovedPlan
    }

    private static let mostReady = 1_000

    private let setup: AgentSetup
    private let ready = Locked<(plans: [String: Ready], names: [String])>(([:], []))
    /// The plans that were made here and wait, the oldest first.
    private let waiting = Locked<[(name: String, expires: Date)]>([])

    package init(_ setup: AgentSetup) { self.setup = setup }

    /// Plans the workflow of a file, and keeps the plan for ``AgentRuns``.
    package func plan(file: String, input: Value) async throws -> Made {
        // The file may have changed since the tools were listed.
        let (checked, findings) = Workflow.check(contentsOf: URL(fileURLWithPath: file))
        guard let workflow = checked else { throw InvalidWorkflow(diagnostics: findings) }
        let problems = workflow.validate(input: input)
        guard problems.isEmpty else { throw InvalidWorkflow(diagnostics: problems) }
        let planner = setup.configured(try await setup.planner(workflow))
        var plan = try await planner.plan(workflow, input: input, mode: .read).value
        // Another credential's permissions say nothing of the run.
        if setup.hasOwnPlanner { plan.grantedPermissions = nil }
        let approved = ApprovedPlan(plan)
        let bytes = approved.value.jsonData()
        guard setup.conceal(bytes) == bytes else {
            throw AgentRefusal("a service returned the access token, so that the plan would contain it")
        }
        let effects = plan.effects
        if let obstacle = obstacle(to: approved) { throw refusal(for: obstacle, approved) }
        if !effects.isEmpty, !setup.policy.allowsSelf, plan.plannedBy == nil {
            throw AgentRefusal(
                "it is unknown whose account plans this, and somebody else has to approve it",
                next: "The person who started this server signs in, or adds '--self-approval'.")
        }
        expire(takeExpired())
        let name = planner.makeID()
        let expires = planner.now().addingTimeInterval(setup.patience.seconds)
        if effects.isEmpty {
            keep(Ready(workflow: workflow, plan: approved), as: name)
        } else {
            try planner.journal(
                of: workflow, input: input, named: name, isServed: false, needsApproval: true, in: setup.runs
            ).close()
            let request = try ApprovalRequest(approved, under: setup.policy, since: planner.now(), expires: expires)
            try ApprovalRequests(of: name, in: setup.runs).put(request)
            waiting.withLock { $0.append((name, expires)) }
            setup.notify(.planned(run: name, workflow: workflow.metadata.name, EffectTotals(effects)))
        }
        return Made(name: name, plan: plan, approved: approved, expires: expires)
    }

    private func keep(_ plan: Ready, as name: String) {
        ready.withLock { ready in
            ready.plans[name] = plan
            ready.names.append(name)
            if ready.names.count > Self.mostReady { ready.plans[ready.names.removeFirst()] = nil }
        }
    }

    /// A plan that only reads; nil if there is none of that name, or not any more.
    package func ready(_ name: String) -> Ready? { ready.withLock { $0.plans[name] } }

    private static let again = "Plan the workflow again."

    /// What happens next to a run that waits, or that another process has.
    /// - Throws: ``AgentRefusal`` if its plan is not followed here, or if an approval of it does not count.
    func next(of summary: RunSummary, isApprovedByForm: Bool = false) async throws -> RunStep {
        let run = summary.run
        var look = RunDesk.Look()
        let step = try await setup.desk.next(
            setup.order, summary, &look, isApprovedByForm: isApprovedByForm, obstacle: { self.obstacle(to: $0) })
        switch step {
        case .ask(let request):
            try ApprovalRequests(of: run, in: setup.runs).put(request)
            return try await next(of: summary, isApprovedByForm: isApprovedByForm)
        // It is cancelled with the others when the next plan is made; this call gets the reason.
        case .expire:
            let end = look.request?.expires ?? summary.startedAt.addingTimeInterval(setup.patience.seconds)
            throw AgentRefusal("the plan could be approved until \(end.formatted(.iso8601))", next: Self.again)
        // The report of the run says it.
        case .refuse(.unknownEffect), .refuse(.sandboxEnded): return step
        case .refuse(let obstacle): throw refusal(for: obstacle, look.request?.intactPlan)
        case .wait where look.refusals.last != nil:
            let refusal = look.refusals.last
            throw AgentRefusal(
                "an approval does not count: \(refusal?.reason ?? "")", next: refusal?.hint ?? setup.ways(run))
        case .begin, .check, .end, .plan, .resume, .wait: return step
        }
    }

    /// The plan that a waiting run would follow, and what people are asked.
    /// - Throws: ``AgentRefusal`` unless it is the one that was kept, is within the bounds, and can still be approved.
    package func plan(of run: String) async throws -> (ApprovedPlan, ApprovalRequest) {
        _ = try await next(of: try setup.summary(of: run))
        let request = try ApprovalRequests(of: run, in: setup.runs).request(ApprovalRequest.plan)
        guard let request, let plan = request.intactPlan else {
            throw AgentRefusal("the plan was not kept", next: Self.again)
        }
        return (plan, request)
    }

    /// Why a plan is not followed by a server that was started as this one; nil if it can be.
    func obstacle(to plan: ApprovedPlan) -> RunObstacle? {
        do throws(PlanMismatch) { try setup.age.demand(plan.plannedAt) } catch { return .old(error.differences) }
        return excess(of: plan)
    }

    /// How a plan is beyond the bounds; nil if it is within them.
    func excess(of plan: ApprovedPlan) -> RunObstacle? {
        let excesses = setup.bounds.refusals(of: plan.effects)
        return excesses.isEmpty ? nil : .excess(excesses)
    }

    /// What an agent gets that asks for a run that may not begin or continue.
    func refusal(for obstacle: RunObstacle, _ plan: ApprovedPlan? = nil) -> AgentRefusal {
        switch obstacle {
        case .excess(let excesses):
            let effects = plan?.effects ?? []
            return AgentRefusal(
                "the plan is beyond what this server allows: \(excesses.joined(separator: "; "))",
                next: "Plan something smaller, or ask the person who started this server.",
                ["effects": .array(effects.map(\.value)), "totals": EffectTotals(effects).value])
        case .old: return AgentRefusal(obstacle.reason, next: Self.again)
        case .planLost: return AgentRefusal("the plan was not kept", next: Self.again)
        case .planChanged: return AgentRefusal("the plan was changed after it was made", next: Self.again)
        case .changed: return AgentRefusal("the workflow's file has changed since the plan was made", next: Self.again)
        case .otherGraph:
            return AgentRefusal("the plan is for another Microsoft Graph than that of GRAPHFLOW_GRAPH_URL")
        case .undone: return AgentRefusal("a person has undone the run", next: Self.again)
        case .unapproved, .held, .rejected, .secrets, .sandboxEnded, .unknownEffect:
            return AgentRefusal("the run does not continue here: \(obstacle.reason)", next: Self.again)
        }
    }

    /// The approvals with which the run of a plan begins.
    /// - Parameter form: The protocol in which a client's form approved it; nil without a form.
    func approvals(_ approval: RunApproval, of plan: ApprovedPlan, byForm form: String?) -> RunApprovals {
        switch approval {
        case .signed(let approvals): return RunApprovals(approvals, by: setup.policy, used: setup.used)
        case .form:
            return RunApprovals(
                by: "form", named: "a form of the client", at: Date(), of: plan, over: form, used: setup.used)
        }
    }

    /// Cancels the plans of earlier servers that can no longer be approved.
    package func expireFormer() {
        expire((try? setup.runs.summaries { $0.isOfAgent && $0.state == .waiting }.map(\.run)) ?? [])
    }

    private func takeExpired() -> [String] {
        waiting.withLock { waiting in
            let now = Date()
            let expired = waiting.prefix { $0.expires < now }.map(\.name)
            waiting.removeFirst(expired.count)
            return expired
        }
    }

    private func expire(_ names: [String]) {
        for name in names {
            guard let summary = try? setup.runs.summary(of: name), summary.isOfAgent, summary.state == .waiting else {
                continue
            }
            let request = try? ApprovalRequests(of: name, in: setup.runs).request(ApprovalRequest.plan)
            guard case .expire = RunLifecycle.next(setup.order, RunFacts(summary, request, now: Date())) else {
                continue
            }
            try? setup.desk.expire(name)
        }
    }
}
