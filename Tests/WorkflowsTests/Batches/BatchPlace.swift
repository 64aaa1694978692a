import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// A batch that is started, ends or is ended, and is started again, against one sandbox.
final class BatchPlace: Sendable {
    let sandbox: Sandbox
    let runs = TemporaryRuns()
    let workflow: Workflow
    private let state = Locked((results: [BatchResult](), events: [BatchEvent](), batch: Batch?.none))

    static let name = "welcome"
    /// Sends a mail to each item's address.
    static let greeting = """
          - hello:
              call: sendMail
              with: { to: '${ .mail }', subject: Hello, body: Hello }

        """
    /// Fails for the items that say so.
    static let failing = """
          - check:
              if: ${ .fails // false }
              raise: { error: { type: 'https://contoso.com/broken', status: 400, title: Broken, detail: no } }

        """

    init(_ tasks: String = BatchPlace.greeting, faults: [String] = []) throws {
        sandbox = Sandbox(
            faults: try faults.map { try Sandbox.Fault(parsing: $0) },
            now: { Date(timeIntervalSince1970: 1_750_000_000) })
        workflow = try Workflow(
            text: "document: { dsl: 1.0.3, namespace: tests, name: welcome, version: 1.0.0 }\ndo:\n" + tasks)
    }

    /// The results of all processes.
    var results: [BatchResult] { state.withLock { $0.results } }
    /// What happened in the last process.
    var events: [BatchEvent] { state.withLock { $0.events } }
    /// The addresses of the mails that were sent.
    var mailed: [String] {
        sandbox.outbox.flatMap(\.to).sorted()
    }
    var folder: BatchFolder { get throws { try runs.folder.batch(Self.name) } }

    /// The entries of the ledger, in its order.
    var entries: [BatchEntry] {
        get throws {
            var entries: [BatchEntry] = []
            try BatchLedger.read(try folder) { if case .entry(let entry) = $0 { entries.append(entry) } }
            return entries
        }
    }

    static func items(_ count: Int, failing: Set<Int> = []) -> [BatchItem] {
        (0..<count).map { number in
            let mail = Value.string("user\(number)@contoso.com")
            return BatchItem(
                name: ItemKey(mail).name, key: mail, input: ["mail": mail, "fails": .bool(failing.contains(number))],
                line: number + 2)
        }
    }

    /// A plan of the items, as it was approved.
    func approved(_ items: [BatchItem]) async throws -> ApprovedBatch {
        let source = runs.home.appendingPathComponent("items.jsonl")
        try FileManager.default.createDirectory(at: runs.home, withIntermediateDirectories: true)
        // The items begin in the second line, as those of a table do.
        try Data(("\n" + items.map { $0.input.json() + "\n" }.joined()).utf8).write(to: source)
        let all = try BatchItems(try ItemSource(source.path), for: workflow, key: ".mail")
        let plan = try await Runner.testing(sandbox: sandbox).plan(all, digest: try all.check().digest).value
        return try ApprovedBatch(ApprovedBatch(plan).value)
    }

    func suspend() { state.withLock { $0.batch }?.suspend() }

    /// Begins the batch or goes on with it, in a process of its own.
    /// - Parameter keepingBatch: Whether the batch is remembered when it has ended.
    @discardableResult func start(
        _ items: [BatchItem], limits: BatchLimits = BatchLimits(), only selection: BatchPast.Selection? = nil,
        assuming assumption: Runner.Assumption? = nil, as approved: ApprovedBatch? = nil, isNamed: Bool = false,
        clock: any PromiseClock = SkippingClock(), keepingBatch: Bool = false,
        delivering deliver: @escaping @Sendable (BatchResult) throws -> Void = { _ in }
    ) async throws -> BatchCounts {
        var runner = Runner.testing(sandbox: sandbox, clock: clock)
        runner.graph.clock = SkippingClock()
        runner.graph.gate = RequestGate()
        runner.now = { Date(timeIntervalSince1970: 1_750_000_000) }
        runner.makeID = { Self.name }
        var (past, ledger, journal) =
            try BatchPast.find(Self.name, in: runs.folder) ?? begin(items.count, runner, isNamed)
        (past.selection, past.assumption) = (selection, assumption)
        state.withLock { $0.events = [] }
        let rest = Locked(items[...])
        let batch = Batch(
            workflow, by: runner, in: journal, ledger, after: past, as: approved, total: items.count, limits: limits,
            items: { rest.withLock { $0.popFirst() } },
            results: { result in
                try deliver(result)
                self.state.withLock { $0.results.append(result) }
            }, events: { event in self.state.withLock { $0.events.append(event) } })
        state.withLock { $0.batch = batch }
        defer { if !keepingBatch { state.withLock { $0.batch = nil } } }
        return try await batch.run().value
    }

    private func begin(_ total: Int, _ runner: Runner, _ isNamed: Bool) throws -> BatchPast.Opened {
        let journal = try runner.journal(of: workflow, in: runs.folder)
        let header = BatchLedger.Header(
            batch: Self.name, name: isNamed ? Self.name : nil, source: "-", sourceDigest: "sha256:00", total: total,
            startedAt: journal.header.startedAt)
        return (.none, try BatchLedger.create(header, in: try folder), journal)
    }
}
