import Workflows

/// The options of `serve` for concurrency, and for its start and its end.
struct ServiceOptions: OptionGroup {
    @Option(
        "concurrency", "N",
        "How many runs are in progress at the same time (default: 100); the\nothers wait for their turn.",
        as: .count(from: 1))
    private var concurrency = 100
    @Option(
        "concurrency-per-workflow", "N", "How many of them can be runs of one workflow (default: half of them).",
        as: .count(from: 1))
    private var givenPerWorkflow: Int?
    @Option(
        "grace", "TIME",
        "How long runs may take to end, or to reach a point where they can be\n"
            + "resumed, once the service is terminated: 30s, 2m (default: 30s).", as: .time())
    private var grace = Duration.seconds(30)
    @Flag("no-resume", "Do not continue the runs that an earlier service did not finish.")
    private var isLeavingRuns
    @Option(
        "catch-up", "none|one|all",
        "How many runs make up for times of 'cron' that were missed while no\nservice ran (default: one).",
        as: .choice(hint: "write none, one or all"))
    var catchUp = CatchUp.one

    var options: WorkflowService.Options {
        var options = WorkflowService.Options()
        (options.concurrency, options.concurrencyPerWorkflow) = (concurrency, givenPerWorkflow)
        (options.grace, options.resumesRuns) = (grace, !isLeavingRuns)
        return options
    }
}
