import Foundation
import Promises
import TestSupport
import Testing
import WorkflowRuns

/// Whether a run begins, waits, continues or expires: one verdict for every door.
@Suite struct RunLifecycleTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let approver = "11111111-1111-1111-1111-111111111111"
    private static let demand = ApprovalPolicy(approvers: [approver], allowsSelf: true)

    /// Approvals with which a run may have begun.
    private enum Former: CaseIterable {
        case none, form, other, approver

        var values: [Value] {
            switch self {
            case .none: []
            case .form: [["approved": true, "by": "form"]]
            case .other: [["by": "22222222-2222-2222-2222-222222222222", "idToken": "x"]]
            case .approver: [["by": .string(RunLifecycleTests.approver), "idToken": "x"]]
            }
        }
    }

    /// An order and facts; each bit of a number is one of their members.
    private struct Case {
        var order: RunOrder
        var facts: RunFacts
        let former: Former

        init(_ state: RunSummary.State, _ origin: RunOrder.Origin, _ bits: Int, _ former: Former, isDemanded: Bool) {
            func has(_ bit: Int) -> Bool { bits >> bit & 1 == 1 }
            order = RunOrder(origin, under: isDemanded ? RunLifecycleTests.demand : nil)
            (order.acceptsForms, order.hasSandbox, order.hasPlan) = (has(0), has(1), has(2))
            (order.isRepetition, order.acceptsChanges, order.isPlanned) = (has(3), has(4), has(13))
            facts = RunFacts(state, since: RunLifecycleTests.now, now: RunLifecycleTests.now)
            (facts.isSandboxed, facts.needsApproval, facts.isRejected) = (has(5), has(6), has(7))
            (facts.needsAnswer, facts.isUndone, facts.hasChanged) = (has(8), has(9), has(10))
            facts.missingSecrets = has(11) ? ["key"] : []
            facts.planObstacle = has(12) ? .excess(["it deletes"]) : nil
            facts.former = former.values
            self.former = former
        }

        /// Whether the approvals of the past are what is demanded today.
        var isApproved: Bool {
            guard order.policy != nil, !order.hasPlan else { return true }
            if order.origin == .agent, !facts.needsApproval { return true }
            return former == .approver || former == .form && order.acceptsForms
        }
    }

    private static let states = RunSummary.State.allCases

    @Test(arguments: RunOrder.Origin.allCases)
    func `no order continues what today's demand, another person or another service forbids`(
        origin: RunOrder.Origin
    ) {
        var (continued, refused, wrong) = (0, 0, [String]())
        for state in Self.states {
            for bits in 0..<(1 << 14) {
                for (index, former) in Former.allCases.enumerated() {
                    let one = Case(state, origin, bits, former, isDemanded: (bits ^ index) % 3 > 0)
                    let (order, facts) = (one.order, one.facts)
                    switch RunLifecycle.next(order, facts) {
                    case .resume:
                        continued += 1
                        let isAllowed =
                            one.isApproved && !facts.isUndone && (facts.missingSecrets.isEmpty || order.isPlanned)
                            && (!facts.hasChanged || order.acceptsChanges) && facts.planObstacle == nil
                            && facts.isSandboxed == order.hasSandbox && (!facts.isSandboxed || state == .waiting)
                            && (!facts.needsAnswer || origin == .person) && (!facts.isRejected || order.hasPlan)
                            && !(facts.needsApproval && order.hasPlan && order.policy == nil)
                            && ![.running, .damaged].contains(state) && (state != .completed || order.isRepetition)
                            && (state != .waiting || order.hasPlan)
                            && (origin == .person || ![.faulted, .cancelled].contains(state))
                        if !isAllowed { wrong.append("\(state) \(bits) \(former)") }
                    // Without answers, only a client's form would begin something.
                    case .begin: wrong.append("begins: \(state) \(bits) \(former)")
                    case .refuse: refused += 1
                    case .end, .plan, .ask, .check, .wait, .expire: break
                    }
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(5))")
        #expect(continued > 100 && refused > 1_000)
    }

    @Test(arguments: RunOrder.Origin.allCases) func `what nothing forbids continues`(origin: RunOrder.Origin) {
        for state in [RunSummary.State.interrupted, .suspended] {
            let facts = RunFacts(state, since: Self.now, now: Self.now)
            guard case .resume = RunLifecycle.next(RunOrder(origin, under: nil), facts) else {
                Issue.record("\(state) does not continue")
                continue
            }
        }
    }

    @Test func `what was found to continue without an approval is refused`() {
        var facts = RunFacts(.interrupted, since: Self.now, now: Self.now)
        func reason(_ order: RunOrder) -> String? {
            guard case .refuse(let obstacle) = RunLifecycle.next(order, facts) else { return nil }
            return obstacle.reason
        }
        // A service with a demand, after one without.
        #expect(reason(RunOrder(.service, under: Self.demand)) == "the run was not approved")
        #expect(reason(RunOrder(.person, under: Self.demand)) == "the run was not approved")
        // An agent's server, after one that took forms, and one with tighter bounds.
        facts.needsApproval = true
        facts.former = Former.form.values
        #expect(reason(RunOrder(.agent, under: Self.demand)) == "the run was approved by other people, or by too few")
        facts.former = Former.approver.values
        #expect(reason(RunOrder(.agent, under: Self.demand)) == nil)
        facts.planObstacle = .excess(["it may have mails"])
        #expect(
            reason(RunOrder(.agent, under: Self.demand))
                == "its plan is beyond what this server allows: it may have mails")
        // What another run took back, at every door.
        facts.isUndone = true
        for origin in RunOrder.Origin.allCases {
            #expect(reason(RunOrder(origin, under: nil)) == "it was undone: what its next tasks need may be gone")
        }
        // What began at Microsoft does not continue in a sandbox, where its mails would seem to be sent.
        facts = RunFacts(.interrupted, since: Self.now, now: Self.now)
        var rehearsing = RunOrder(.service, under: nil)
        rehearsing.hasSandbox = true
        #expect(reason(rehearsing) == "it called another Microsoft Graph than that of GRAPHFLOW_GRAPH_URL")
        // Its own approval, where that is not allowed.
        facts.former = [["by": .string(Self.approver), "idToken": "x", "demand": ["count": 1, "self": false]]]
        facts.runner = Self.approver
        let strict = RunOrder(.person, under: ApprovalPolicy(approvers: [Self.approver]))
        #expect(reason(strict) == "the run was approved by other people, or by too few")
        facts.runner = nil
        #expect(reason(strict) == "it is unknown who runs it, and somebody else has to approve")
        facts.runner = "22222222-2222-2222-2222-222222222222"
        #expect(reason(strict) == nil)
    }
}
