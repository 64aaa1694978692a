import Workflows

/// The options of `serve` that say how many runs are at work, and what happens at its start and its end.
struct ServiceOptions: OptionGroup {
    /// How many runs are at work at the same time.
    @Option(
        "concurrency", "N",
        "How many runs are at work at the same time (default: 100); the\nothers wait for their turn.",
        as: .count(from: 1))
    var concurrency = 100
    @Option(
        "concurrency-per-workflow", "N", "How many of them are of one workflow (default: half of them).",
        as: .count(from: 1))
    private var givenPerWorkflow: Int?
    @Option(
        "grace", "TIME",
        "How long runs may take to come to an end or to a place where they can be\n"
            + "resumed, once the service is terminated: 30s, 2m (default: 30s).", as: .time())
    var grace = Duration.seconds(30)
    @Flag("no-resume", "Leave the runs that an earlier service did not end; otherwise they go on.")
    private var isLeavingRuns
    @Option(
        "catch-up", "none|one|all",
        "How many runs start late for the times of 'cron' that were missed since the\nservice ended (default: one).",
        as: .choice(hint: "write none, one or all"))
    var catchUp = CatchUp.one

    var concurrencyPerWorkflow: Int { givenPerWorkflow ?? max(1, (concurrency + 1) / 2) }
    var isResuming: Bool { !isLeavingRuns }
}
