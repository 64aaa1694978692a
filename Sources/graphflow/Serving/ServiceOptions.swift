import Workflows

/// The options of `serve` that say how many runs are at work, and what happens at its start and its end.
struct ServiceOptions: Sendable {
    static let options = [
        Option(
            name: "concurrency", argument: .required("N"),
            help:
                "How many runs are at work at the same time (default: \(usualConcurrency)); the\nothers wait for their turn."
        ),
        Option(
            name: "concurrency-per-workflow", argument: .required("N"),
            help: "How many of them are of one workflow (default: half of them)."),
        Option(
            name: "grace", argument: .required("TIME"),
            help: "How long runs may take to come to an end or to a place where they can be\n"
                + "resumed, once the service is terminated: 30s, 2m (default: 30s)."),
        Option(
            name: "no-resume", help: "Leave the runs that an earlier service did not end; otherwise they go on."),
        Option(
            name: "catch-up", argument: .required("none|one|all"),
            help: "How many runs start late for the times of 'cron' that were missed since the\n"
                + "service ended (default: one)."),
    ]
    private static let usualConcurrency = 100

    /// How many runs are at work at the same time.
    let concurrency: Int
    let concurrencyPerWorkflow: Int
    let grace: Duration
    let isResuming: Bool
    let catchUp: CatchUp

    init(_ arguments: ParsedArguments) throws(UsageError) {
        concurrency = try arguments.count("concurrency", from: 1) ?? Self.usualConcurrency
        concurrencyPerWorkflow =
            try arguments.count("concurrency-per-workflow", from: 1) ?? max(1, (concurrency + 1) / 2)
        grace = try arguments.time("grace") ?? .seconds(30)
        isResuming = !arguments.has("no-resume")
        catchUp =
            try arguments.value("catch-up").map { text throws(UsageError) in
                guard let catchUp = CatchUp(rawValue: text) else {
                    throw UsageError("'--catch-up' cannot be '\(text)'", hint: "write none, one or all")
                }
                return catchUp
            } ?? .one
    }
}
