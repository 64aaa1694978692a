/// What `batch` and `resume` share: begins or continues a batch, and says how it ended.
struct BatchSession: Sendable {
    /// Where the results go; nil for standard output.
    var results: String?
    /// Where events are written; nil for nowhere.
    var events: String?
    var options: RunnerSettings
    var isBatching = false
    /// Whether items with the same question to a person share the answer.
    var sharesApprovals = false
    var detail = ConsoleRecorder.Detail.usual

    /// A batch that is ready to begin or to continue.
    struct Work: Sendable {
        let workflow: Workflow
        let items: BatchItems
        let total: Int
        let journal: Journal
        let ledger: BatchLedger
        var past = BatchPast.none
        /// The plan that items must follow; nil for none.
        var approved: ApprovedBatch?
        var limits = BatchLimits()
        var isContinued: Bool
    }

    func runner(over graph: GraphClient, on console: Console) throws -> Runner {
        if events == "-", results == nil {
            throw UsageError(
                "the results and the events cannot both go to standard output", hint: "add --results FILE")
        }
        let recorders = try events.map { [try EventFile($0, console).recorder] } ?? []
        var runner = options.runner(over: graph, console, recorders: recorders)
        if isBatching { runner.graph = runner.graph.batchingReads() }
        return runner
    }

    /// Performs the items, writes their results, and prints how the batch ended.
    func perform(_ work: Work, by runner: Runner, on console: Console) async throws -> ExitStatus {
        let results = try ResultsFile(self.results, isContinued: work.isContinued, console)
        if work.limits.looksUpMails, work.ledger.header.mailName != nil, detail != .quiet, work.workflow.sendsMail {
            let seconds = work.limits.mailPatience.components.seconds
            console.complain(
                "each mail is looked up before it is sent, and may wait up to \(seconds) s to be found: "
                    + "'--lookup-delay' changes the wait, '--no-lookup' turns lookups off")
        }
        var runner = runner
        runner.approver = .waiting(console, in: (runner.graph.transport as? SandboxNetwork)?.sandbox)
        let run = work.journal.header.run
        // A batch that is continued shares what it has shared before.
        if sharesApprovals || work.journal.approvals.open.contains(where: { $0.run == run }) {
            runner.approver?.batch = run
        }
        let reader = Locked(try work.items.reader())
        let progress = BatchProgress(
            console, work.ledger.header.name ?? work.workflow.metadata.name, detail,
            isAlone: events != "-" || !console.outputIsTerminal)
        defer { progress.end() }
        let batch = Batch(
            work.workflow, by: runner, in: work.journal, work.ledger, after: work.past,
            as: work.approved, total: work.total, limits: work.limits, items: { try reader.withLock { try $0.next() } },
            results: { try results.write($0) }, events: { progress.take($0) })
        let processes = runner.processes
        let interruption = Interruption(on: console, atOnce: { processes.kill() }) { batch.suspend() }
        defer { interruption.end() }
        let counts: BatchCounts
        do {
            counts = try await batch.run().value
        } catch {
            progress.end()
            for line in Self.advice(progress.counts, work.journal.header) { console.complain(line) }
            throw error
        }
        for line in Self.advice(counts, work.journal.header) { console.complain(line) }
        if let status = interruption.status, counts.pending > 0 { return status }
        return counts.unknown > 0 ? .unknownOutcome : counts.completed < counts.total ? .faulted : .success
    }

    /// How to continue a batch with items that have not completed.
    private static func advice(_ counts: BatchCounts, _ header: Journal.Header) -> [String] {
        guard counts.completed < counts.total else { return [] }
        guard !header.isSandboxed else {
            return ["a batch with '--sandbox' cannot be resumed, because the sandbox ends with it"]
        }
        let command = "graphflow resume \(header.run)"
        guard counts.unknown > 0 else { return ["continue with: \(command)"] }
        return [
            "continue with: \(command)",
            "  unknown outcomes are looked up where that is possible; otherwise say what happened:",
            "  \(command) --only unknown --assume sent|not-sent",
        ]
    }
}
