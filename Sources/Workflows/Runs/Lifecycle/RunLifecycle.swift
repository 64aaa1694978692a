/// Decides what happens next to a run, for every door through which one may ask for it.
package enum RunLifecycle {
    /// What happens next: the same for the same order and the same facts, wherever it is asked.
    package static func next(_ order: RunOrder, _ facts: RunFacts) -> RunStep {
        switch facts.state {
        case .running: .wait(until: nil)
        case .waiting: next(order, waiting: facts)
        case .completed where order.isRepetition: next(order, begun: facts)
        case .completed, .damaged: .end
        // Only people continue what has failed.
        case .faulted where order.origin != .person, .cancelled where order.origin != .person: .end
        case .suspended, .interrupted, .unknown, .faulted, .cancelled: next(order, begun: facts)
        }
    }

    /// The approvals with which it began count as far as today's demand takes them.
    private static func next(_ order: RunOrder, begun facts: RunFacts) -> RunStep {
        if let obstacle = sandboxObstacle(order, facts) { return .refuse(obstacle) }
        if facts.isUndone { return .refuse(.undone) }
        if facts.isRejected, !order.hasPlan { return .refuse(.rejected) }
        if facts.needsAnswer, order.origin != .person { return .refuse(.unknownEffect) }
        if order.hasPlan {
            if facts.needsApproval, order.policy == nil { return .refuse(.held) }
        } else if facts.needsApproval || order.origin != .agent {
            // An agent's plan that only reads was never approved.
            do throws(ApprovalRefusal) {
                try order.policy?.demand(facts.former, runBy: facts.runner, acceptsForms: order.acceptsForms)
            } catch {
                return .refuse(.unapproved(error))
            }
        }
        if let obstacle = facts.planObstacle { return .refuse(obstacle) }
        if facts.hasChanged, !order.acceptsChanges { return .refuse(.changed) }
        if !order.isPlanned, !facts.missingSecrets.isEmpty { return .refuse(.secrets(facts.missingSecrets)) }
        if facts.isOfOtherGraph { return .refuse(.otherGraph) }
        return .resume
    }

    private static func next(_ order: RunOrder, waiting facts: RunFacts) -> RunStep {
        // An approved plan that comes with the order needs no request.
        if order.hasPlan { return next(order, begun: facts) }
        // People decide with 'approve' and 'reject'.
        guard order.origin != .person, let policy = order.policy else { return .refuse(.held) }
        let end = facts.request?.expires ?? facts.startedAt.addingTimeInterval(order.patience.seconds)
        guard facts.now < end else { return .expire }
        if let obstacle = sandboxObstacle(order, facts) { return .refuse(obstacle) }
        guard var request = facts.request else {
            // An agent's plan is made before its run.
            return order.origin == .agent ? .refuse(.planLost) : .plan(until: end)
        }
        guard let plan = facts.plan else { return .refuse(.planChanged) }
        if let obstacle = facts.planObstacle { return .refuse(obstacle) }
        if request.approvers != policy.approvers || request.count != policy.count {
            (request.approvers, request.count) = (policy.approvers, policy.count)
            return .ask(request)
        }
        if facts.isApprovedByForm, order.acceptsForms { return .begin(plan, .form) }
        guard facts.answers.count >= policy.count else { return .wait(until: end) }
        guard let approvals = facts.approvals else { return .check }
        return approvals.count >= policy.count ? .begin(plan, .signed(approvals)) : .wait(until: end)
    }

    /// What began in a sandbox ends with it, and nothing else continues in one.
    private static func sandboxObstacle(_ order: RunOrder, _ facts: RunFacts) -> RunObstacle? {
        guard facts.isSandboxed else { return order.hasSandbox ? .otherGraph : nil }
        return order.hasSandbox && facts.state == .waiting ? nil : .sandboxEnded
    }
}
