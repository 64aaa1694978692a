/// What somebody asks for: that a run begins, or that it continues.
package struct RunOrder: Sendable {
    /// Who asks.
    package enum Origin: Sendable, Hashable, CaseIterable {
        /// A person, who can be asked back, and who may continue what failed.
        case person
        /// A service, for what triggered the run.
        case service
        /// An agent, for a plan that people look at.
        case agent
    }

    package var origin: Origin
    /// Whose approvals are demanded; nil for no one's.
    package var policy: ApprovalPolicy?
    /// Whether an approval counts that a client's form gave, and that no one signed.
    package var acceptsForms = false
    /// Whether it is performed in a sandbox of this process.
    package var hasSandbox = false
    /// Whether a plan of the rest of the run comes with it; its approvals are checked as those of a new run.
    package var hasPlan = false
    /// Whether tasks are performed again, also those of a run that completed.
    package var isRepetition = false
    /// Whether it is only planned, which reads no secret.
    package var isPlanned = false
    /// Whether the workflow may have changed since the run began.
    package var acceptsChanges = false
    /// How long a plan waits for people.
    package var patience: Duration

    package init(_ origin: Origin, under policy: ApprovalPolicy?, patience: Duration = .seconds(86_400)) {
        (self.origin, self.policy, self.patience) = (origin, policy, patience)
    }
}
