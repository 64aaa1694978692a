/// Plans that agents make, and the people's approvals of them.
///
/// A plan with effects is a run that waits for approval: people find it with `graphflow runs`, and decide with
/// `graphflow approve` and `graphflow reject`. A plan that only reads is kept in memory.
final class AgentPlans: Sendable {
    /// A plan that needs no approval.
    struct Ready: Sendable {
        let workflow: Workflow
        let plan: ApprovedPlan
    }

    private static let mostReady = 1_000

    let setup: AgentSetup
    private let address: ApprovalAddress
    private let ready = Locked<(plans: [String: Ready], names: [String])>(([:], []))
    /// The plans that were made here and wait, the oldest first.
    private let waiting = Locked<[(name: String, expires: Date)]>([])

    init(_ setup: AgentSetup, _ address: ApprovalAddress) { (self.setup, self.address) = (setup, address) }

    /// Plans a workflow, and keeps the plan for ``AgentRuns``.
    /// - Returns: What the agent gets.
    func plan(_ entry: AgentWorkflows.Entry, _ arguments: Object) async throws -> Object {
        // The file may have changed since the tools were listed.
        let (checked, findings) = Workflow.check(contentsOf: URL(fileURLWithPath: entry.file))
        guard let workflow = checked else { throw InvalidWorkflow(diagnostics: findings) }
        let input = entry.input(of: arguments)
        let problems = workflow.validate(input: input)
        guard problems.isEmpty else { throw InvalidWorkflow(diagnostics: problems) }
        let planner = try await setup.planner(of: workflow)
        var plan = try await planner.plan(workflow, input: input, mode: .read).value
        // Another credential's permissions say nothing of the run.
        if setup.planningConsole != nil { plan.grantedPermissions = nil }
        let approved = ApprovedPlan(plan)
        let bytes = approved.value.jsonData()
        guard ConcealedBytes.conceal(bytes, setup.console.secrets) == bytes else {
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
            setup.console.complain(
                "an agent planned '\(workflow.metadata.name)' (\(EffectTotals(effects).words)): graphflow approve \(name)"
            )
        }
        return answer(name, plan, approved, expires: expires, needsApproval: !effects.isEmpty)
    }

    private func answer(
        _ name: String, _ plan: Plan, _ approved: ApprovedPlan, expires: Date, needsApproval: Bool
    ) -> Object {
        let summary = plan.summary
        let needs = plan.isApplication ? summary.applicationPermissions : summary.delegatedPermissions
        var members: Object = [
            "planId": .string(name), "digest": .string(ApprovedPlan.digest(of: approved.value)),
            "complete": .bool(plan.isComplete),
            "gaps": .array(plan.gaps.map(Value.string)),
            "effects": .array(plan.effects.map(\.value)), "totals": EffectTotals(plan.effects).value,
            "permissions": .array(needs.map { .string($0.permission) }),
        ]
        if !summary.unknownNeeds.isEmpty {
            members["unknownPermissions"] = .array(
                summary.unknownNeeds.map { ["request": .string($0), "permissions": .null] })
        }
        if let missing = summary.missingPermissions, !missing.isEmpty {
            members["missingPermissions"] = .array(missing.map { .string($0.permission) })
        }
        members["plannedAt"] = .string(plan.plannedAt.iso8601)
        members["expires"] = .string(expires.iso8601)
        members["approve"] = [
            "needed": .bool(needsApproval),
            "command": needsApproval ? .string("graphflow approve \(name)") : .null,
            "url": needsApproval ? address.url(of: name).map(Value.string) ?? .null : .null,
        ]
        members["next"] = .string(
            needsApproval
                ? "A person approves it with the command or at the address. Then call run_plan."
                : "It only reads, and needs no approval: call run_plan.")
        return members
    }

    private func keep(_ plan: Ready, as name: String) {
        ready.withLock { ready in
            ready.plans[name] = plan
            ready.names.append(name)
            if ready.names.count > Self.mostReady { ready.plans[ready.names.removeFirst()] = nil }
        }
    }

    /// A plan that only reads; nil if there is none of that name, or not any more.
    func ready(_ name: String) -> Ready? { ready.withLock { $0.plans[name] } }

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
                "an approval does not count: \(refusal?.reason ?? "")", next: refusal?.hint ?? ways(to: run))
        case .begin, .check, .end, .plan, .resume, .wait: return step
        }
    }

    /// The plan that a waiting run would follow, and what people are asked.
    /// - Throws: ``AgentRefusal`` unless it is the one that was kept, is within the bounds, and can still be approved.
    func plan(of run: String) async throws -> (ApprovedPlan, ApprovalRequest) {
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
        let excesses = setup.bounds.refusals(of: PlanView(plan.plan).effects)
        return excesses.isEmpty ? nil : .excess(excesses)
    }

    /// What an agent gets that asks for a run that may not begin or continue.
    func refusal(for obstacle: RunObstacle, _ plan: ApprovedPlan? = nil) -> AgentRefusal {
        switch obstacle {
        case .excess(let excesses):
            let effects = plan.map { PlanView($0.plan).effects } ?? []
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
    func approvals(_ approval: RunApproval, of plan: ApprovedPlan, by version: MCPVersion?) -> RunApprovals {
        let used = UsedApprovals(environment: setup.console.environment)
        switch approval {
        case .signed(let approvals): return RunApprovals(approvals, by: setup.policy, used: used)
        case .form:
            let value: Value = [
                "approved": true, "by": "form", "name": "a form of the client", "at": .string(Date().iso8601),
                "note": "", "plan": .string(ApprovedPlan.digest(of: plan.value)),
                "protocol": version.map { .string($0.rawValue) } ?? .null,
            ]
            return RunApprovals(unsigned: value, used: used)
        }
    }

    /// How a person approves a plan.
    func ways(to run: String) -> String {
        let opened = address.url(of: run).map { ", or open \($0)" } ?? ""
        return "A person has to approve the plan: run 'graphflow approve \(run)' in a terminal\(opened). "
            + "Then call run_plan again."
    }

    func url(of run: String) -> String? { address.url(of: run) }

    /// Cancels the plans of earlier servers that can no longer be approved.
    func expireFormer() {
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
