import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// A workflow for many items, each as a run of its own.
@Suite struct BatchTests {
    private struct Death: Error {}

    @Test func `each item is a run of its own in one journal, and its result comes before its line`() async throws {
        let place = try BatchPlace()
        let items = BatchPlace.items(20)
        let order = Locked<[Bool]>([])
        let counts = try await place.start(items) { result in
            let events = try Journal.read(BatchPlace.name, in: place.runs.folder).events
            let hasEnded = events.contains { event in
                if case .workflowCompleted = event.kind { event.run == result.entry.run } else { false }
            }
            let hasLine = try place.entries.contains { $0.item == result.entry.item }
            order.withLock { $0.append(hasEnded && !hasLine) }
        }
        #expect(counts.completed == 20 && counts.pending == 0)
        #expect(order.withLock { $0 } == Array(repeating: true, count: 20))
        #expect(place.mailed == items.compactMap(\.key.string).sorted())
        #expect(Set(try place.entries.map(\.run)) == Set(items.map { "welcome.\($0.name)" }))
        #expect(try place.entries.map(\.place).sorted() == Array(2...21))
        #expect(!FileManager.default.fileExists(atPath: place.runs.path(BatchPlace.name, "output.json")))
        let result = try Value(json: try #require(place.results.first).json)
        #expect(result.object?.keys.map { $0 } == ["key", "state", "output", "run"])
    }

    @Test(arguments: 0..<6)
    func `a batch that ends in front of any line of its ledger goes on, and each item happens once`(
        line: Int
    ) async throws {
        let place = try BatchPlace()
        let items = BatchPlace.items(6)
        await #expect(throws: Death.self) {
            try await place.start(items, limits: BatchLimits(concurrency: 2)) { _ in
                if place.results.count == line { throw Death() }
            }
        }
        #expect(try place.entries.count == line)
        #expect(try await place.start(items).completed == 6)
        #expect(place.mailed == items.compactMap(\.key.string).sorted())
        #expect(Set(place.results.map(\.entry.item)) == Set(items.map(\.name)))
        #expect(try place.entries.count == 6)
    }

    @Test(arguments: 0...6, [0, 30])
    func `lines that the ledger lost are written again from the journal, and nothing is sent`(
        kept: Int, torn: Int
    ) async throws {
        let place = try BatchPlace()
        let items = BatchPlace.items(6)
        try await place.start(items)
        let path = try place.folder.ledger
        let lines = try Data(contentsOf: URL(fileURLWithPath: path)).split(separator: 10).map { $0 + [10] }
        let rest = lines.dropFirst(kept + 1).first?.prefix(torn) ?? Data()
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data(lines.prefix(kept + 1).joined()) + rest)
        try file.close()
        let sent = place.sandbox.requests.count
        #expect(try await place.start(items).completed == 6)
        #expect(place.sandbox.requests.count == sent)
        #expect(Set(try place.entries.map(\.item)) == Set(items.map(\.name)))
        #expect(place.results.count == 12 - kept)
        #expect(place.results.allSatisfy { $0.output?["status"] == "accepted" })
    }

    @Test func `a batch that has ended no longer holds its run, also while it is remembered`() async throws {
        let place = try BatchPlace()
        let items = BatchPlace.items(4)
        for line in [1, 2] {
            await #expect(throws: Death.self) {
                try await place.start(items, keepingBatch: true) { _ in
                    if place.results.count == line { throw Death() }
                }
            }
            #expect(try !place.folder.isAtWork)
        }
        #expect(try await place.start(items, keepingBatch: true).completed == 4)
        #expect(try !place.folder.isAtWork)
        #expect(place.mailed == items.compactMap(\.key.string).sorted())
    }

    @Test func `an item that faults ends no other, and is performed again when the batch goes on`() async throws {
        let place = try BatchPlace(BatchPlace.failing + BatchPlace.greeting)
        let items = BatchPlace.items(8, failing: [2, 5])
        let counts = try await place.start(items)
        #expect((counts.completed, counts.faulted, counts.pending) == (6, 2, 0))
        let faulted = place.results.filter { $0.entry.state == .faulted }
        #expect(Set(faulted.map(\.entry.place)) == [4, 7])
        #expect(faulted.allSatisfy { $0.error?["instance"] == "/do/0/check" && $0.entry.error?["instance"] == nil })
        #expect(try await place.start(items, only: .unknown) == counts)
        #expect(place.results.count == 8)
        #expect(try await place.start(items, only: .faulted) == counts)
        #expect(place.results.count == 10)
        #expect(place.mailed.count == 6)
    }

    @Test func `as many failures as are allowed end the taking of items`() async throws {
        let place = try BatchPlace(BatchPlace.failing)
        let items = BatchPlace.items(50, failing: Set(0..<50))
        let limits = BatchLimits(concurrency: 1, failures: .count(3))
        let counts = try await place.start(items, limits: limits)
        #expect((counts.faulted, counts.pending) == (3, 47))
        #expect(place.events.contains { if case .stopping(.failures) = $0 { true } else { false } })
        #expect(try await place.start(items, limits: limits).faulted == 3, "the same three fail again")
        let other = try await place.start(items, limits: BatchLimits(concurrency: 1, failures: .percent(5)))
        #expect(other.faulted == 20, "a share counts after twenty items")
    }

    @Test func `a batch that is suspended goes on, and each item happens once`() async throws {
        let place = try BatchPlace()
        let items = BatchPlace.items(12)
        let counts = try await place.start(items, limits: BatchLimits(concurrency: 3)) { _ in
            if place.results.count == 4 { place.suspend() }
        }
        #expect(counts.pending > 0 && counts.completed >= 5)
        #expect(try await place.start(items).completed == 12)
        #expect(place.mailed == items.compactMap(\.key.string).sorted())
    }

    @Test func `a batch with a name whose disk is lost sends nobody a second mail`() async throws {
        let place = try BatchPlace()
        let items = BatchPlace.items(4)
        await #expect(throws: Death.self) {
            try await place.start(items, limits: BatchLimits(concurrency: 1), isNamed: true) { _ in
                if place.results.count == 2 { throw Death() }
            }
        }
        #expect(place.mailed.count == 3)
        try FileManager.default.removeItem(at: place.runs.home)
        #expect(try await place.start(items, isNamed: true).completed == 4)
        #expect(place.mailed == items.compactMap(\.key.string).sorted())
    }

    @Test func `no more items are at work than are allowed`() async throws {
        let place = try BatchPlace()
        try await place.start(BatchPlace.items(30), limits: BatchLimits(concurrency: 4))
        var (atWork, most) = (0, 0)
        for event in place.events {
            switch event {
            case .itemBegan: atWork += 1
            case .itemEnded: atWork -= 1
            default: break
            }
            most = max(most, atWork)
        }
        #expect(most == 4)
    }

    @Test func `an unknown outcome stays unknown until somebody says whether it happened`() async throws {
        let place = try BatchPlace(
            BatchPlace.greeting.replacingOccurrences(of: "body: Hello", with: "body: Hello, delivery: direct"),
            faults: ["POST /me/sendMail drop processed"])
        let items = BatchPlace.items(3)
        let counts = try await place.start(items, limits: BatchLimits(concurrency: 1))
        #expect((counts.completed, counts.unknown) == (2, 1))
        #expect(try await place.start(items).unknown == 1)
        #expect(try await place.start(items, only: .unknown, assuming: .sent).completed == 3)
        #expect(place.mailed.count == 3)
    }

    @Test func `an item that goes on does the rest of its approved plan, and nothing a second time`() async throws {
        let place = try BatchPlace(
            BatchPlace.greeting + "  - store: { call: upload, with: { path: a.txt, content: '${ .messageId }' } }\n")
        let items = BatchPlace.items(4)
        let approved = try await place.approved(items)
        await #expect(throws: Death.self) {
            try await place.start(items, limits: BatchLimits(concurrency: 2), as: approved) { _ in throw Death() }
        }
        let counts = try await place.start(items, as: approved)
        #expect(counts.completed == 4, "\(place.results.compactMap(\.error))")
        #expect(place.mailed.count == 4)
        // An upload whose answer was not recorded is sent again, which changes nothing; one other item was at work.
        #expect((4...5).contains(place.sandbox.requests.count { $0.request.method == "PUT" }))
    }

    @Test func `an item is resumed only if its run would still be the approved one`() async throws {
        let place = try BatchPlace(
            BatchPlace.greeting.replacingOccurrences(of: "body: Hello", with: "body: Hello, delivery: direct")
                + BatchPlace.failing.replacing("${ .fails // false }", with: "${ $workflow.input.fails }"),
            faults: ["POST /me/sendMail drop processed"])
        let items = BatchPlace.items(3, failing: [2])
        let approved = try await place.approved(items)
        let counts = try await place.start(items, limits: BatchLimits(concurrency: 1), as: approved)
        #expect((counts.completed, counts.unknown, counts.faulted) == (1, 1, 1))
        let sent = place.sandbox.requests.count
        let thieves = items.map { item in
            BatchItem(name: item.name, key: item.key, input: ["mail": "thief@contoso.com"], line: item.line)
        }
        #expect(try await place.start(thieves, assuming: .notSent, as: approved) == counts, "what is unknown stays so")
        #expect(place.sandbox.requests.count == sent)
        let refused = place.results.suffix(2)
        #expect(Set(refused.map(\.entry.state)) == [.unknown, .faulted])
        #expect(refused.allSatisfy { $0.error?["type"] == .string(PlanDeviation.type) })
        #expect(refused.allSatisfy { $0.error?["detail"]?.string?.contains("undo what has changed") == true })
        #expect(try await place.start(items, assuming: .sent, as: approved).completed == 2)
        #expect(place.sandbox.requests.count == sent)
    }

    @Test func `items begin at the rate that is allowed`() async throws {
        let place = try BatchPlace(BatchPlace.failing)
        let clock = SkippingClock()
        try await place.start(BatchPlace.items(5), limits: BatchLimits(rate: 2), clock: clock)
        #expect(clock.waits == Array(repeating: .milliseconds(500), count: 4))
    }

    @Test(arguments: ["0", "-1", "x", "5%%", "101%", "0%", "", "%"])
    func `what is no limit of failures is refused`(text: String) {
        #expect(BatchLimits.Failures(text) == nil)
    }

    @Test(arguments: ["5", "5%", "0.5%"])
    func `a limit of failures is written as it is read`(text: String) {
        #expect(BatchLimits.Failures(text)?.description == text)
    }
}
