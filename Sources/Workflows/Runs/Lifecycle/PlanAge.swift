/// How old an approved plan may be.
package struct PlanAge: Sendable {
    package let most: Duration

    /// How far another machine's clock may be ahead of this one's.
    private static let tolerance: TimeInterval = 120

    package init(most: Duration) { self.most = most }

    /// Fails if a plan is too old, or from the future.
    package func demand(_ plannedAt: Date, at now: Date = Date()) throws(PlanMismatch) {
        let age = now.timeIntervalSince(plannedAt)
        guard age >= -Self.tolerance else {
            throw PlanMismatch([
                "the plan is from \(plannedAt.iso8601), which is in the future: is this machine's clock right?"
            ])
        }
        guard age <= most.seconds else {
            throw PlanMismatch([
                "the plan was made at \(plannedAt.iso8601), more than \(most.words) ago: make it again, or "
                    + "allow its age with '--max-age'"
            ])
        }
    }
}
