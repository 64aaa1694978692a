/// `--max-age`: how old an approved plan may be.
struct PlanAgeOption: OptionGroup {
    @Option("max-age", "TIME", "How old the plan may be: 30m, 2h (default: 24h).", as: .time(from: 1))
    private var most = Duration.seconds(86_400)

    /// How far another machine's clock may be ahead of this one's.
    private static let tolerance: TimeInterval = 120

    func validate(with plan: String?) throws(UsageError) {
        guard $most.isGiven, plan == nil else { return }
        throw UsageError("'--max-age' needs an approved plan", hint: "add '--plan FILE'")
    }

    /// Fails if a plan is too old, or from the future.
    func demand(_ plannedAt: Date, at now: Date = Date()) throws(PlanMismatch) {
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
