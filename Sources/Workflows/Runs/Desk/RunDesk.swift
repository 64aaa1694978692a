/// Reads what is known of runs, and says what happens next to them.
package struct RunDesk: Sendable {
    package let runs: RunsFolder
    /// Reads the keys of the approvers' tenant.
    private let keys: @Sendable () -> Promise<ApprovalKeys>
    /// Reads the object id of the person whose account runs everything; nil if it is unknown.
    private let runner: @Sendable () -> Promise<String?>
    private let now: @Sendable () -> Date

    package init(
        _ runs: RunsFolder, keys: @escaping @Sendable () -> Promise<ApprovalKeys>,
        runner: @escaping @Sendable () -> Promise<String?>, now: @escaping @Sendable () -> Date
    ) {
        (self.runs, self.keys, self.runner, self.now) = (runs, keys, runner, now)
    }

    /// What is read of a run that waits.
    package struct Look: Sendable {
        /// The answers that do not count, by their files' names and their tokens.
        fileprivate var refused: Set<String> = []
        /// Why answers do not count, since the last look.
        package fileprivate(set) var refusals: [ApprovalRefusal] = []
        package fileprivate(set) var request: ApprovalRequest?

        package init() {}
    }

    /// What happens next to a run that has not begun, or that another process has.
    /// - Parameters:
    ///   - look: What earlier looks at this run found.
    ///   - isApprovedByForm: Whether a client's form approves the plan.
    ///   - obstacle: Why a plan is not followed here; nil if it can be.
    package func next(
        _ order: RunOrder, _ summary: RunSummary, _ look: inout Look, isApprovedByForm: Bool = false,
        obstacle: (ApprovedPlan) -> RunObstacle? = { _ in nil }
    ) async throws -> RunStep {
        let requests = try ApprovalRequests(of: summary.run, in: runs)
        var facts = RunFacts(summary, requests.request(ApprovalRequest.plan), now: now())
        (look.request, look.refusals, facts.isApprovedByForm) = (facts.request, [], isApprovedByForm)
        facts.planObstacle = facts.plan.flatMap(obstacle)
        if let request = facts.request { facts.answers = answers(to: request, in: requests, &look) }
        guard case .check = RunLifecycle.next(order, facts), let policy = order.policy, let plan = facts.plan,
            let subject = facts.request?.subject
        else { return RunLifecycle.next(order, facts) }
        let (keys, runner) = (try await keys().value, policy.allowsSelf ? nil : try await runner().value)
        let counting = policy.selection(
            of: facts.answers, of: subject, plannedBy: plan.planner, runBy: runner, with: keys, now: facts.now
        ) { approval, refusal in
            look.refused.insert(approval.idToken)
            look.refusals.append(refusal)
        }
        facts.approvals = counting ?? []
        return RunLifecycle.next(order, facts)
    }

    /// What happens next to a run whose journal this process has opened.
    /// - Parameters:
    ///   - workflow: What would be performed now.
    ///   - address: The Microsoft Graph that would be called now.
    ///   - obstacle: Why the plan of its rest is not followed here; nil if it can be.
    package func next(
        _ order: RunOrder, _ summary: RunSummary, _ past: PastRun, performing workflow: Workflow,
        with secrets: SecretStore, at address: URL, obstacle: RunObstacle? = nil
    ) async throws -> RunStep {
        var facts = RunFacts(summary, nil, now: now())
        try facts.add(past, performing: workflow, with: secrets, at: address)
        facts.planObstacle = obstacle
        if order.policy?.allowsSelf == false, !order.hasPlan { facts.runner = try await runner().value }
        return RunLifecycle.next(order, facts)
    }

    private func answers(
        to request: ApprovalRequest, in requests: ApprovalRequests, _ look: inout Look
    ) -> [SignedApproval] {
        var answers: [SignedApproval] = []
        for answer in requests.answers(to: request.id) where !look.refused.contains(answer.name) {
            do throws(ApprovalRefusal) {
                let approval = try SignedApproval(try answer.content.get())
                guard approval.statement.subject == request.subject, !look.refused.contains(approval.idToken) else {
                    continue
                }
                answers.append(approval)
            } catch {
                if !requests.drop(answer) { look.refused.insert(answer.name) }
                look.refusals.append(error)
            }
        }
        return answers
    }

    /// Cancels a run that no one approved in time.
    package func expire(_ run: String) throws {
        let decision: Value = ["approved": false, "state": "expired", "at": .string(now().iso8601)]
        try runs.cancel(run, at: now(), because: decision)
        try ApprovalRequests(of: run, in: runs).settle(ApprovalRequest.plan)
    }
}
