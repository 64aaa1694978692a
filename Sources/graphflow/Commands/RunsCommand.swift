import Essentials
import Workflows

/// `graphflow runs`: the runs and batches on this machine, as a table or as JSON.
struct RunsCommand: Command {
    static let name = "runs"
    static let summary = "List runs and batches, the newest first."
    static let operands = ""
    static let examples = ["runs", "runs --state faulted --json"]
    static let discussion = """
        Runs are kept in the folder 'runs' of GRAPHFLOW_HOME. 'graphflow show RUN' shows the details of one, and
        'graphflow resume RUN' continues one that was interrupted or failed. The beginning of a run's name is enough.
        A batch, kept in 'batches', is one row that says how many of its items are over.
        """
    static let options = [
        Option(name: "workflow", argument: .required("NAME"), help: "Only runs of the workflow with this name."),
        Option(
            name: "state", argument: .required("STATE"), values: stateNames,
            help: "Only runs in this state:\n" + stateNames.prefix(4).joined(separator: ", ") + ",\n"
                + stateNames.dropFirst(4).joined(separator: ", ") + "."),
        Option(name: "limit", argument: .required("N"), help: "List at most N runs (default: 20)."),
        Option(name: "all", help: "List all runs."),
        Option(name: "json", help: "Print JSON, with times in ISO 8601 and durations in seconds."),
    ]
    private static let stateNames = RunSummary.State.allCases.map(\.rawValue)

    private let workflow: String?
    private let state: RunSummary.State?
    private let limit: Int?
    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments, _ console: Console) throws {
        try arguments.demandNoOperands { "to show one run: graphflow show \($0)" }
        workflow = arguments.value("workflow")
        state = try arguments.value("state").map { try RunSummary.State(option: $0, "state") }
        guard !arguments.has("all") || !arguments.has("limit") else {
            throw UsageError("'--all' and '--limit' cannot be used together")
        }
        limit = arguments.has("all") ? nil : try arguments.count("limit", from: 1) ?? 20
        wantsJSON = arguments.has("json")
    }

    func run(on console: Console) async throws -> ExitStatus {
        let kept = KeptRuns.standard(environment: console.environment)
        // One more than is shown, to know whether there are more.
        var runs = try kept.summaries(limit: limit.map { $0 + 1 }) { run in
            (workflow == nil || run.workflow?.name == workflow) && (state == nil || run.state == state)
        }
        let hasMore = limit.map { runs.count > $0 } ?? false
        if let limit { runs = Array(runs.prefix(limit)) }
        let now = Date()
        if wantsJSON {
            console.print(.array(runs.map { $0.json(now: now) }))
            return .success
        }
        guard !runs.isEmpty else {
            let isFiltered = workflow != nil || state != nil
            console.complain(
                isFiltered
                    ? "No run matches. 'graphflow runs --all' lists all of them."
                    : "There are no runs yet. 'graphflow run FILE' starts one.")
            return .success
        }
        let table = RunsTable(runs, now: now, width: console.outputWidth)
        for line in table.lines(colour: console.outputHasColour) { console.print(painted: line) }
        if hasMore { console.complain("There are older runs: '--all' lists them.") }
        return .success
    }
}

extension RunSummary {
    /// The run or batch for a program.
    func json(now: Date) -> Value {
        var object: Object = [
            "kind": isBatch ? "batch" : "run", "run": .string(run),
            "workflow": (workflow?.name).map(Value.string) ?? .null,
            "state": .string(state.rawValue), "startedAt": .string(startedAt.iso8601),
            "duration": .double((duration(now: now) * 1_000).rounded() / 1_000),
        ]
        object["counts"] = counts?.json
        object["error"] = error.map(Value.object)
        object["problem"] = problem.map(Value.string)
        return .object(object)
    }
}
