import Foundation
import TestSupport
import Workflows

/// Batches in a home that is removed with its last user.
struct TemporaryBatches {
    /// What a test says of an item.
    struct Item {
        var number: Int
        var state = BatchEntry.State.completed
        /// How long it took, in seconds.
        var length = 1.0
        var status = 404
        var title = "Not Found"
        var key: Value?
    }

    let runs = TemporaryRuns()
    static let start = Date(timeIntervalSince1970: 1_700_000_000)

    var home: String { runs.home.path }
    var folder: RunsFolder { .batches(environment: ["GRAPHFLOW_HOME": home]) }

    func console() -> TestConsole { TestConsole(environment: ["GRAPHFLOW_HOME": home]) }

    func path(_ batch: String, _ name: String = "ledger.jsonl") -> String {
        folder.url.appendingPathComponent(batch).appendingPathComponent(name).path
    }

    /// The name of an item, whatever its key.
    static func name(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits + "abcd"
    }

    static func entry(_ item: Item, of batch: String) -> BatchEntry {
        BatchEntry(
            item: name(item.number), key: item.key ?? .string("user\(item.number)@contoso.com"), state: item.state,
            run: "\(batch).\(name(item.number))", place: item.number + 1,
            error: item.state == .completed
                ? nil
                : [
                    "type": "urn:test:\(item.status)", "status": .integer(item.status), "title": .string(item.title),
                    "detail": .string("item \(item.number) was refused"),
                ], startedAt: start, endedAt: start.addingTimeInterval(item.length))
    }

    /// Begins a batch, whose lock is held as long as the journal is.
    func begin(
        _ batch: String, name: String? = nil, shard: [Int]? = nil, total: Int, startedAt: Date = start
    ) throws -> (journal: Journal, ledger: BatchLedger) {
        var journal = TemporaryRuns.header(batch, input: ["subject": "Hello"])
        journal.startedAt = startedAt
        return (
            try Journal.begin(journal, text: TemporaryRuns.text, in: folder),
            try BatchLedger.create(
                BatchLedger.Header(
                    batch: batch, name: name, source: "/data/users.csv", sourceDigest: "sha256:00", key: ".mail",
                    shard: shard, total: total, startedAt: startedAt), in: try folder.batch(batch))
        )
    }

    /// Records a batch on which no process is at work.
    /// - Parameter hasCounts: Whether each line says how many items are over.
    func record(
        _ batch: String, name: String? = nil, shard: [Int]? = nil, total: Int, startedAt: Date = start,
        hasCounts: Bool = true, _ items: [Item]
    ) throws {
        let (journal, ledger) = try begin(batch, name: name, shard: shard, total: total, startedAt: startedAt)
        var counts = BatchCounts(total: total)
        var states: [Int: BatchEntry.State] = [:]
        for item in items {
            if let old = states.updateValue(item.state, forKey: item.number) { counts[old] -= 1 }
            counts[item.state] += 1
            try ledger.append(.entry(Self.entry(item, of: batch)), counts: hasCounts ? counts : nil)
        }
        withExtendedLifetime(journal) {}
    }
}
