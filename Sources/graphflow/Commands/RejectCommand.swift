/// `graphflow reject`: says no to what a run waits for.
struct RejectCommand: Command {
    static let name = "reject"
    static let summary = "Reject what a run waits for."
    static let examples = ["reject last --note 'the list is from last year'"]
    static let discussion = """
        RUN is a run that waits, as 'runs --state waiting' lists them. A run whose plan is rejected is cancelled. A task
        that is rejected fails with status 403, which the workflow can catch. A plan in a file needs no rejection: without
        an approval, nothing runs it.
        """

    @Operand("RUN", "a run's name", hint: "'graphflow runs --state waiting' lists them", offering: .runs)
    private var run: String
    @Option("note", "TEXT", "Why it is rejected.") private var note: String?
    @Option("task", "TASK", "Which task of the run, if more than one waits.") private var task: String?

    func run(on console: Console) async throws -> ExitStatus {
        guard !FileManager.default.fileExists(atPath: run) else {
            throw UsageError(
                "a plan in a file needs no rejection: without an approval, nothing runs it",
                hint: "name a run: 'graphflow runs --state waiting' lists them")
        }
        let waiting = try WaitingRun(run, task: task, toReject: true, console)
        try waiting.reject(note ?? "", console, at: Date())
        console.print("rejected: \(waiting.summary.run)")
        return .success
    }
}
