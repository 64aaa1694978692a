import Foundation
import TestSupport
import Testing
import Workflows

@testable import graphflow

/// Batches among the runs: `graphflow runs`, `show`, `rm`, and what is pruned.
@Suite struct BatchListingTests {
    private typealias Item = TemporaryBatches.Item
    private let batches = TemporaryBatches()
    private static let run = "01J00000000000000000000001"

    private func json(_ arguments: String...) async throws -> Value {
        let console = batches.console()
        #expect(await console.run(arguments) == 0, "\(console.standardError)")
        return try Value(json: console.standardOutput)
    }

    @Test(arguments: [true, false])
    func `a batch is a row among the runs, with its counts`(hasCounts: Bool) async throws {
        try batches.runs.record([], as: Self.run, startedAt: TemporaryBatches.start)
        // An item that faulted, and was then completed, counts once.
        try batches.record(
            "newsletter", name: "newsletter", total: 20_000, startedAt: TemporaryBatches.start.addingTimeInterval(60),
            hasCounts: hasCounts,
            [Item(number: 1, state: .faulted), Item(number: 2), Item(number: 1), Item(number: 3, state: .unknown)])
        let list = try await json("runs", "--json")
        #expect(list.array?.map { $0["kind"] } == ["batch", "run"])
        #expect(list[0]?["run"] == "newsletter")
        #expect(list[0]?["state"] == "interrupted")
        #expect(
            list[0]?["counts"] == ["total": 20_000, "completed": 2, "faulted": 0, "unknown": 1, "pending": 19_997])
        #expect(list[1]?["counts"] == nil)
        let table = batches.console()
        #expect(await table.run("runs") == 0)
        let lines = table.standardOutput.split(separator: "\n")
        #expect(lines[0].hasSuffix("  TOOK  ITEMS"), "\(lines[0])")
        #expect(lines[1].hasPrefix("newsletter  ") && lines[1].hasSuffix("  3 of 20,000, 1 unknown"), "\(lines[1])")
    }

    @Test(
        arguments: [
            (1, [BatchEntry.State.completed], "completed"), (2, [.completed], "interrupted"),
            (2, [.completed, .faulted], "faulted"), (3, [.faulted, .completed, .unknown], "unknown"),
            (0, [], "completed"), (1, [], "interrupted"),
        ])
    func `the state of a batch is that of its items`(
        total: Int, states: [BatchEntry.State], state: String
    ) async throws {
        try batches.record(
            "b", total: total, states.enumerated().map { Item(number: $0.offset, state: $0.element) })
        #expect(try await json("runs", "--json")[0]?["state"]?.string == state)
        #expect(try await json("runs", "--json", "--state", state).array?.count == 1)
    }

    @Test func `a batch that a process is at work on is running, and is not removed`() async throws {
        let (journal, ledger) = try batches.begin("b", total: 2)
        try ledger.append(.entry(TemporaryBatches.entry(Item(number: 1), of: "b")))
        #expect(try await json("runs", "--json")[0]?["state"] == "running")
        let refused = batches.console()
        #expect(await refused.run("rm", "b") == 1)
        #expect(refused.standardError.contains("is in progress in another process"))
        withExtendedLifetime(journal) {}
    }

    @Test func `a torn last line is not counted, and a damaged one is said`() async throws {
        try batches.record("b", total: 2, [Item(number: 1), Item(number: 2, state: .faulted)])
        let url = URL(fileURLWithPath: batches.path("b"))
        let whole = try Data(contentsOf: url)
        try whole.dropLast(20).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
        #expect(
            try await json("runs", "--json")[0]?["counts"]
                == ["total": 2, "completed": 1, "faulted": 0, "unknown": 0, "pending": 1])
        try (whole + Data("}\n".utf8)).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
        let damaged = try await json("runs", "--json")
        #expect(damaged[0]?["state"] == "damaged")
        #expect(damaged[0]?["kind"] == "batch")
        let shown = batches.console()
        #expect(await shown.run("show", "b") == 1)
        #expect(shown.standardError.contains("the ledger is damaged"), "\(shown.standardError)")
    }

    @Test func `names are looked up among runs and batches`() async throws {
        try batches.record("01J-a", total: 1, [Item(number: 1)])
        try batches.record("01J-b", total: 1, startedAt: Date(timeIntervalSince1970: 1_900_000_000), [Item(number: 1)])
        try batches.runs.record([], as: Self.run, startedAt: TemporaryBatches.start)
        let ambiguous = batches.console()
        #expect(await ambiguous.run("show", "01j") == 64)
        #expect(ambiguous.standardError.contains("3 runs and batches begin with '01j'"), "\(ambiguous.standardError)")
        #expect(try await json("show", "01j-a", "--json")["run"] == "01J-a")
        #expect(try await json("show", "last", "--json")["run"] == "01J-b")
        #expect(try await json("show", "01j0", "--json")["kind"] == "run")
        let missing = batches.console()
        #expect(await missing.run("rm", "01J-a", "other") == 64)
        #expect(try batches.folder.names.count == 2)
        let removed = batches.console()
        #expect(await removed.run("rm", "01J-a", "01J0") == 0, "\(removed.standardError)")
        #expect(try batches.folder.names == ["01J-b"])
        #expect(try batches.runs.folder.names.isEmpty)
    }

    @Test func `batches without a name are pruned as runs are, and named ones are not`() async throws {
        for number in 1...3 { try batches.record("01J0000000000000000000000\(number)", total: 1, [Item(number: 1)]) }
        try batches.record("01J00000000000000000000004", total: 2, [Item(number: 1)])
        try batches.record("newsletter", name: "newsletter", total: 1, [Item(number: 1)])
        let pruned = batches.console()
        #expect(await pruned.run("rm", "--keep", "1") == 0)
        #expect(pruned.standardError == "removed 2 runs\n")
        #expect(
            try batches.folder.names
                == ["newsletter", "01J00000000000000000000004", "01J00000000000000000000003"])
        let old = batches.console()
        #expect(await old.run("rm", "--older-than", "0s") == 0)
        #expect(try batches.folder.names == ["newsletter", "01J00000000000000000000004"])
    }
}
