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
        try demandBounds(effects)
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
            let request = ApprovalRequest(
                .plan(digest: try approved.value.approvalDigest), by: setup.policy.approvers,
                count: setup.policy.count, since: planner.now(), expires: expires, plan: approved.value)
            try ApprovalRequests(of: name, in: setup.runs).put(request)
            waiting.withLock { $0.append((name, expires)) }
            setup.console.complain(
                "an agent planned '\(workflow.metadata.name)' (\(EffectTotals(effects).words)): graphflow approve \(name)"
            )
        }
        return answer(name, plan, approved, expires: expires, needsApproval: !effects.isEmpty)
    }

    /// Fails if effects are beyond what the server was started with.
    func demandBounds(_ effects: [Effect]) throws(AgentRefusal) {
        let refusals = setup.bounds.refusals(of: effects)
        guard refusals.isEmpty else {
            throw AgentRefusal(
                "the plan is beyond what this server allows: \(refusals.joined(separator: "; "))",
                next: "Plan something smaller, or ask the person who started this server.",
                ["effects": .array(effects.map(\.value)), "totals": EffectTotals(effects).value])
        }
    }

    private func answer(
        _ name: String, _ plan: Plan, _ approved: ApprovedPlan, expires: Date, needsApproval: Bool
    ) -> Object {
        let summary = plan.summary
        let needs = plan.isApplication ? summary.applicationPermissions : summary.delegatedPermissions
        var members: Object = [
            "planId": .string(name), "digest": .string(approved.value.digest), "complete": .bool(plan.isComplete),
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

    /// What a run waits for; nil if its plan was never kept.
    func request(of run: String) throws -> ApprovalRequest? {
        try ApprovalRequests(of: run, in: setup.runs).request(ApprovalRequest.plan)
    }

    /// The plan that a waiting run would follow.
    /// - Throws: ``AgentRefusal`` unless it is the one that was kept, is within the bounds, and can still be approved.
    func plan(of run: String) throws -> (ApprovedPlan, ApprovalRequest) {
        let again = "Plan the workflow again."
        guard let request = try request(of: run), case .plan(let digest) = request.subject, let value = request.plan
        else { throw AgentRefusal("the plan was not kept", next: again) }
        guard let plan = try? ApprovedPlan(value), try value.approvalDigest == digest else {
            throw AgentRefusal("the plan was changed after it was made", next: again)
        }
        guard Date() < request.expires else {
            throw AgentRefusal("the plan could be approved until \(request.expires.formatted(.iso8601))", next: again)
        }
        do throws(PlanMismatch) { try setup.age.demand(plan.plannedAt) } catch {
            throw AgentRefusal(error.differences.joined(separator: "; "), next: again)
        }
        try demandBounds(PlanView(plan.plan).effects)
        return (plan, request)
    }

    /// The approvals of a waiting run that count; nil if there are not enough.
    func approvals(of run: String, _ plan: ApprovedPlan, _ request: ApprovalRequest) async throws -> RunApprovals? {
        let requests = try ApprovalRequests(of: run, in: setup.runs)
        let given = try requests.answers(to: request.id).compactMap { answer -> SignedApproval? in
            do throws(ApprovalRefusal) {
                let approval = try SignedApproval(try answer.content.get())
                return approval.statement.subject == request.subject ? approval : nil
            } catch {
                requests.drop(answer)
                throw AgentRefusal("an approval does not count: \(error.reason)", next: error.hint ?? ways(to: run))
            }
        }
        guard given.count >= setup.policy.count else { return nil }
        let keys = try await ApprovalAuthority(setup.console, in: setup.sandbox).keys().value
        let runner = try await setup.person()
        var refusal: ApprovalRefusal?
        let checked = setup.policy.selection(
            of: given, of: request.subject, plannedBy: plan.plan["plannedBy"]?.string, runBy: runner, with: keys,
            now: Date()
        ) { _, why in refusal = why }
        if let checked {
            let used = UsedApprovals(environment: setup.console.environment)
            return RunApprovals(checked, by: setup.policy, used: used)
        }
        guard let refusal else { return nil }
        throw AgentRefusal("an approval does not count: \(refusal.reason)", next: refusal.hint ?? ways(to: run))
    }

    /// The approval that a client's form gives, which no one signed.
    func unsignedApproval(of request: ApprovalRequest, by version: MCPVersion) -> RunApprovals {
        let digest = if case .plan(let digest) = request.subject { digest } else { "" }
        let value: Value = [
            "approved": true, "by": "form", "name": "a form of the client", "at": .string(Date().iso8601), "note": "",
            "plan": .string(digest), "protocol": .string(version.rawValue),
        ]
        return RunApprovals(unsigned: value, used: UsedApprovals(environment: setup.console.environment))
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
            let end = (try? request(of: name))?.expires ?? summary.startedAt.addingTimeInterval(setup.patience.seconds)
            guard end < Date() else { continue }
            try? setup.runs.cancel(
                name, at: Date(), because: ["approved": false, "state": "expired", "at": .string(Date().iso8601)])
        }
    }
}
