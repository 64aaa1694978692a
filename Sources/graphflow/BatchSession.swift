import Essentials
import Promises
import WorkflowHTTP
import Workflows

/// What `batch` and `resume` share: begins a batch or goes on with one, and says how it ended.
struct BatchSession: Sendable {
    /// Where the results go; nil for standard output.
    var results: String?
    /// Where events are written; nil for nowhere.
    var events: String?
    /// The workflow's secrets.
    var secrets: SecretStore
    /// The most that is read of an answer; nil for the usual.
    var largestAnswer: Int?
    /// Whether reads are combined.
    var isBatching = false
    /// How much is shown.
    var detail = ConsoleRecorder.Detail.usual

    /// A batch that is ready to begin or to go on.
    struct Work: Sendable {
        let workflow: Workflow
        let items: BatchItems
        let total: Int
        let journal: Journal
        let ledger: BatchLedger
        var past = BatchPast.none
        var limits = BatchLimits()
        var isContinued: Bool
    }

    /// The runner of a batch's items.
    func runner(over graph: GraphClient, on console: Console) throws -> Runner {
        if events == "-", results == nil {
            throw UsageError(
                "the results and the events cannot both go to standard output", hint: "add --results FILE")
        }
        var graph = graph.acceptingAnswers(upTo: largestAnswer)
        if isBatching { graph = graph.batchingReads() }
        var runner = Runner(graph: graph, recorders: try events.map { [try EventFile($0, console).recorder] } ?? [])
        runner.secrets = secrets
        runner.environment = console.environment
        return runner
    }

    /// Performs the items, writes their results, and prints how the batch ended.
    func perform(_ work: Work, by runner: Runner, on console: Console) async throws -> ExitStatus {
        let results = try ResultsFile(self.results, isContinued: work.isContinued, console)
        let reader = Locked(try work.items.reader())
        let tally = BatchTally()
        let batch = Batch(
            work.workflow, by: runner, in: work.journal, work.ledger, after: work.past, total: work.total,
            limits: work.limits, items: { try reader.withLock { try $0.next() } },
            results: { try results.write($0) }, events: { tally.take($0) })
        let processes = runner.processes
        let interruption = Interruption(on: console, atOnce: { processes.kill() }) { batch.suspend() }
        defer { interruption.end() }
        let counts: BatchCounts
        do {
            counts = try await batch.run().value
        } catch {
            // What ended before is said as well.
            for line in tally.lines(of: work.journal.header) { console.complain(line) }
            throw error
        }
        if detail != .quiet || counts.completed < counts.total {
            for line in tally.lines(of: work.journal.header) { console.complain(line) }
        }
        if let status = interruption.status, counts.pending > 0 { return status }
        return counts.unknown > 0 ? .unknownOutcome : counts.completed < counts.total ? .faulted : .success
    }
}

/// Counts how the items of a batch ended, for its last message.
final class BatchTally: Sendable {
    private struct State {
        var counts = BatchCounts(total: 0)
        /// The errors of the items that ended in this process, by title and type.
        var errors: [String: Int] = [:]
        var stop: BatchEvent.Stop?
    }

    private let state = Locked(State())

    /// How many kinds of errors are listed.
    private static let mostListed = 10

    /// Takes what happened.
    func take(_ event: BatchEvent) {
        state.withLock { state in
            switch event {
            case .began(let counts), .ended(let counts): state.counts = counts
            case .itemEnded(let entry, _):
                guard entry.state != .completed else { return }
                let title = entry.error?["title"]?.string ?? "error"
                let type = entry.error?["type"]?.string ?? "about:blank"
                state.errors["\(entry.state.rawValue): \(title), \(type)", default: 0] += 1
            case .stopping(let reason): state.stop = reason
            case .itemBegan, .held, .released: break
            }
        }
    }

    /// How the batch ended, and the command that goes on with what is not complete.
    func lines(of header: Journal.Header) -> [String] {
        let (counts, errors, stop) = state.withLock { ($0.counts, $0.errors, $0.stop) }
        var parts = ["\(counts.completed) of \(counts.total) completed"]
        if counts.faulted > 0 { parts.append("\(counts.faulted) faulted") }
        if counts.unknown > 0 { parts.append("\(counts.unknown) unknown") }
        if counts.pending > 0 { parts.append("\(counts.pending) not done") }
        var lines = ["batch \(header.run): \(parts.joined(separator: ", "))"]
        let sorted = errors.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        lines += sorted.prefix(Self.mostListed).map { "  \($0.value) × \(PlainText.line($0.key, limit: 300))" }
        if sorted.count > Self.mostListed { lines.append("  … and \(sorted.count - Self.mostListed) other errors") }
        if stop == .failures { lines.append("no more items were taken, because too many failed") }
        guard counts.completed < counts.total else { return lines }
        guard !header.isSandboxed else {
            return lines + ["a batch with '--sandbox' cannot go on, because the sandbox ends with it"]
        }
        lines.append("go on with: graphflow resume \(header.run)")
        if counts.unknown > 0 {
            lines.append("  what is unknown is looked up where that is possible; otherwise say whether it happened:")
            lines.append("  graphflow resume \(header.run) --only unknown --assume sent|not-sent")
        }
        return lines
    }
}
