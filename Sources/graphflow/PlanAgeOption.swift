/// `--max-age`: how old an approved plan may be.
struct PlanAgeOption: OptionGroup {
    @Option("max-age", "TIME", "How old the plan may be: 30m, 2h (default: 24h).", as: .time(from: 1))
    private var most = Duration.seconds(86_400)

    func validate(with plan: String?) throws(UsageError) {
        guard $most.isGiven, plan == nil else { return }
        throw UsageError("'--max-age' needs an approved plan", hint: "add '--plan FILE'")
    }

    var limit: PlanAge { PlanAge(most: most) }
}
