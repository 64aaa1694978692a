/// `graphflow runs`: the runs and batches on this machine, as a table or as JSON.
struct RunsCommand: Command {
    static let name = "runs"
    static let onlyReads = true
    static let summary = "List runs and batches, the newest first."
    static let examples = ["runs", "runs --state faulted --json"]
    static let discussion = """
        Runs are kept in the folder 'runs' of GRAPHFLOW_HOME. 'graphflow show RUN' shows the details of one, and
        'graphflow resume RUN' continues one that was interrupted or failed. The beginning of a run's name is enough. A
        batch, kept in 'batches', is one row that says how many of its items have finished.
        """

    @Option("workflow", "NAME", "Only runs of the workflow with this name.") private var workflow: String?
    @Option("state", "STATE", "Only runs in this state:\n\(stateList).", as: .choice("state"))
    private var state: RunSummary.State?
    @Option("approved-by", "ADDRESS", "Only runs that this person approved: a name or an object id.")
    private var approver: String?
    @Option("limit", "N", "List at most N runs (default: 20).", as: .count(from: 1)) private var givenLimit: Int?
    @Flag("all", "List all runs.") private var isAll
    @Flag("json", "Print JSON, with times in ISO 8601 and durations in seconds.") private var wantsJSON

    private func isApproved(_ run: RunSummary, by person: String, _ kept: KeptRuns) -> Bool {
        guard run.state != .damaged else { return false }
        let folder = run.isBatch ? kept.batches : kept.runs
        return (try? folder.approvers(of: run.run).contains(person)) ?? false
    }

    /// The states, broken into two lines.
    private static var stateList: String {
        let names = RunSummary.State.allCases.map(\.rawValue)
        return names.prefix(4).joined(separator: ", ") + ",\n" + names.dropFirst(4).joined(separator: ", ")
    }

    static func hint(insteadOf operand: String) -> String? { "to show one run: graphflow show \(operand)" }

    func validate() throws(UsageError) { try exclude($isAll, $givenLimit) }

    func run(on console: Console) async throws -> ExitStatus {
        let limit = isAll ? nil : givenLimit ?? 20
        let kept = KeptRuns.standard(environment: console.environment)
        // One more than is shown, to know whether others exist.
        var runs = try kept.summaries(limit: limit.map { $0 + 1 }) { run in
            (workflow == nil || run.workflow?.name == workflow) && (state == nil || run.state == state)
                && (approver.map { isApproved(run, by: $0.lowercased(), kept) } ?? true)
        }
        let hasMore = limit.map { runs.count > $0 } ?? false
        if let limit { runs = Array(runs.prefix(limit)) }
        let now = Date()
        if wantsJSON {
            console.print(.array(runs.map { $0.json(now: now) }))
            return .success
        }
        guard !runs.isEmpty else {
            let isFiltered = workflow != nil || state != nil || approver != nil
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
    func json(now: Date) -> Value {
        var object: Object = [
            "kind": isBatch ? "batch" : "run", "run": .string(run),
            "workflow": (workflow?.name).map(Value.string) ?? .null,
            "state": .string(state.rawValue), "startedAt": .string(startedAt.iso8601),
            "duration": .double((duration(now: now) * 1_000).rounded() / 1_000), "sandbox": .bool(isSandboxed),
        ]
        object["counts"] = counts?.json
        object["error"] = error.map(Value.object)
        object["problem"] = problem.map(Value.string)
        return .object(object)
    }
}
