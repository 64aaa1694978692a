/// What is known, at one moment, of a run that somebody asks for.
package struct RunFacts: Sendable {
    package var now: Date
    package var state: RunSummary.State
    /// When it was due, or began.
    package var startedAt: Date
    /// Whether it is performed in a sandbox that ends with its process.
    package var isSandboxed = false
    package var needsApproval = false
    /// Whether it was never approved.
    package var isRejected = false
    /// Whether only a person can tell whether an effect happened.
    package var needsAnswer = false
    /// Whether another run took back what it did.
    package var isUndone = false
    /// The approvals with which it began, as its journal has them.
    package var former: [Value] = []
    package var hasChanged = false
    package var missingSecrets: [String] = []
    package var isOfOtherGraph = false
    /// Why its plan is not followed here; nil if it can be.
    package var planObstacle: RunObstacle?
    /// What people are asked; nil if its plan was not made yet.
    package var request: ApprovalRequest?
    /// The plan that people are asked about; nil if it is not the one that they were asked about.
    package var plan: ApprovedPlan?
    /// The approvals of that plan that are not known not to count.
    package var answers: [SignedApproval] = []
    /// Whether a client's form approves that plan.
    package var isApprovedByForm = false
    /// Those of them that count, none if they are not enough; nil if they have not been checked.
    package var approvals: [CheckedApproval]?
    /// The object id of the person who continues it; nil if it is unknown, or of no matter.
    package var runner: String?

    package init(_ state: RunSummary.State, since startedAt: Date, now: Date) {
        (self.state, self.startedAt, self.now) = (state, startedAt, now)
    }
}

extension RunFacts {
    /// What a run's folder says, without its journal.
    package init(_ summary: RunSummary, _ request: ApprovalRequest?, now: Date) {
        self.init(summary.state, since: summary.startedAt, now: now)
        isSandboxed = summary.isSandboxed
        isRejected = summary.isRefused
        needsAnswer = summary.needsAnswer == true
        self.request = request
        plan = request?.intactPlan
    }

    /// Adds what the journal says, which this process has opened: no other process has the run.
    /// - Parameters:
    ///   - workflow: What would be performed now.
    ///   - secrets: What the run may read now.
    ///   - address: The Microsoft Graph that would be called now.
    /// - Throws: ``JournalError`` if the run's copy of the file cannot be read.
    package mutating func add(
        _ past: PastRun, performing workflow: Workflow, with secrets: SecretStore, at address: URL
    ) throws {
        if state != .unknown { state = past.condition }
        needsApproval = past.header.needsApproval
        (isUndone, former) = (past.isUndone, past.approvals)
        hasChanged = try past.changes(to: workflow) != nil
        let used = workflow.usedSecrets
        missingSecrets = (used + past.secretNames.filter { !used.contains($0) }).filter { secrets[$0] == nil }
        isOfOtherGraph = past.header.graphURL.map { $0 != address.absoluteString } ?? false
    }
}
