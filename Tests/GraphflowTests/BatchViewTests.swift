import Foundation
import TestSupport
import Testing

@testable import Workflows
@testable import graphflow

/// `graphflow show` of a batch, and of one of its items.
@Suite struct BatchViewTests {
    private typealias Item = TemporaryBatches.Item
    private let batches = TemporaryBatches()
    private let task = JSONPointer(["do", "0", "greet"])

    private func show(_ arguments: String...) async throws -> String {
        let console = batches.console()
        #expect(await console.run(["show"] + arguments) == 0, "\(console.standardError)")
        return console.standardOutput
    }

    private func refusal(_ arguments: String...) async -> String {
        let console = batches.console()
        #expect(await console.run(["show"] + arguments) == 64)
        return console.standardError
    }

    @Test func `errors are grouped, the largest group first, with the newest items`() async throws {
        let failed = (1...5).map { Item(number: $0, state: .faulted, length: Double($0)) }
        let denied = [Item(number: 6, state: .unknown, length: 0.5, status: 504, title: "Gateway Timeout")]
        try batches.record(
            "newsletter", name: "newsletter", shard: [2, 8], total: 9, failed + denied + [Item(number: 7, length: 30)])
        let text = try await show("newsletter")
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines[0] == "batch    newsletter")
        #expect(lines.contains("state    interrupted"))
        #expect(lines.contains("shard    2 of 8"))
        #expect(lines.contains("source   /data/users.csv, key .mail"))
        #expect(lines.contains("items    9, 1 completed, 5 faulted, 1 unknown, 2 not ended"))
        #expect(
            lines.contains(
                "  ✗ 5 × 404 Not Found: user5@contoso.com, user4@contoso.com, user3@contoso.com, …"), "\(text)")
        #expect(lines.contains("    ↳ item 5 was refused"), "\(text)")
        #expect(lines.contains("  ✗ 1 × unknown, 504 Gateway Timeout: user6@contoso.com"), "\(text)")
        #expect(lines.contains("  30.0 s   user7@contoso.com"), "\(text)")
        #expect(lines.contains("  graphflow show newsletter --key user5@contoso.com"))
        #expect(lines.suffix(3) == ["To continue:", "  graphflow resume newsletter", ""])
        let json = try Value(json: try await show("newsletter", "--json"))
        #expect(json["kind"] == "batch")
        #expect(json["counts"]?["pending"] == 2)
        #expect(json["errors"]?[0]?["count"] == 5)
        #expect(json["errors"]?[0]?["examples"]?.array?.count == 3)
        #expect(json["errors"]?[0]?["examples"]?[0]?["detail"] == "item 5 was refused")
        #expect(json["slowest"]?[0]?["key"] == "user7@contoso.com")
        #expect(json["slowest"]?[0]?["duration"] == 30)
        #expect(json["itemsPerSecond"] != nil)
        #expect(json["resume"] == "graphflow resume newsletter")
    }

    @Test func `what an item was before it was resumed is no error any more`() async throws {
        try batches.record(
            "b", total: 2,
            [Item(number: 1, state: .faulted, length: 50), Item(number: 2, state: .faulted), Item(number: 1)])
        let json = try Value(json: try await show("b", "--json"))
        #expect(json["errors"]?.array?.map { $0["count"] } == [1])
        #expect(json["errors"]?[0]?["examples"]?[0]?["key"] == "user2@contoso.com")
        #expect(json["slowest"]?.array?.map { $0["duration"] } == [1, 1])
    }

    @Test func `titles that differ for every item are one group in the end`() async throws {
        try batches.record(
            "b", total: 500, (1...500).map { Item(number: $0, state: .faulted, title: "title \($0)") })
        let errors = try #require(Value(json: try await show("b", "--json"))["errors"]?.array)
        #expect(errors.count == 201)
        #expect(errors[0]["count"] == 300)
        #expect(errors.reduce(0) { $0 + ($1["count"]?.integer ?? 0) } == 500)
    }

    /// A batch with three items at work at the same time, one of which calls another workflow.
    private func recordItems() throws {
        let (journal, ledger) = try batches.begin("b", total: 4)
        func item(_ number: Int) -> String { "b.\(TemporaryBatches.name(number))" }
        let inner = Event.Parent(run: item(1), task: task, occurrence: "")
        let fault = WorkflowError(.communication, detail: "refused", instance: task)
        let kinds: [(String, Event.Kind, Event.Parent?)] = [
            (item(1), .workflowStarted(input: ["n": 1], context: ["n": 1]), nil),
            (item(2), .workflowStarted(input: ["n": 2], context: ["n": 2]), nil),
            (item(1), .taskStarted(task, input: nil), nil), (item(2), .taskStarted(task, input: nil), nil),
            (item(3), .workflowStarted(input: ["n": 3], context: ["n": 3]), nil),
            ("inner", .workflowStarted(input: 1, context: 1), inner),
            ("inner", .taskStarted(JSONPointer(["do", "0", "inside"]), input: nil), nil),
            (item(2), .taskFaulted(task, fault), nil), (item(2), .workflowFaulted(fault), nil),
            (item(1), .taskCompleted(task, output: "sent", context: nil, then: .continue), nil),
            (item(1), .workflowCompleted(output: "sent"), nil),
        ]
        var numbers: [String: Int] = [:]
        for (offset, (run, kind, parent)) in kinds.enumerated() {
            numbers[run, default: 0] += 1
            try journal.append(
                Event(
                    number: numbers[run, default: 0], run: run, workflow: TemporaryRuns.workflow,
                    time: TemporaryBatches.start.addingTimeInterval(Double(offset)), kind: kind,
                    parent: run == "inner" ? parent ?? inner : parent))
        }
        let lines = [
            Item(number: 1, key: "megan@contoso.com"), Item(number: 2, state: .faulted, key: ["id": 7]),
            Item(number: 4, key: 17), Item(number: 5, key: "17"),
        ]
        for line in lines { try ledger.append(.entry(TemporaryBatches.entry(line, of: "b"))) }
    }

    @Test func `an item is shown by its key as a run`() async throws {
        try recordItems()
        let text = try await show("b", "--key", "megan@contoso.com", "--data")
        #expect(text.hasPrefix("run      b.\(TemporaryBatches.name(1))\n"), "\(text)")
        #expect(text.contains("state    completed\n"))
        #expect(text.contains("took     10.0 s\n"), "\(text)")
        #expect(text.contains("input    {\"n\":1}\n"))
        #expect(text.contains("✓ greet"))
        #expect(text.contains("inside"), "\(text)")
        #expect(!text.contains("refused"))
        let faulted = try await show("b", "--key", #"{"id":7}"#)
        #expect(faulted.contains("state    faulted\n") && faulted.contains("refused"), "\(faulted)")
        #expect(faulted.hasSuffix("To continue:\n  graphflow resume b\n"), "\(faulted)")
        let json = try Value(json: try await show("b", "--key", "megan@contoso.com", "--json"))
        #expect(json["output"] == "sent")
        #expect(json["kind"] == "run")
        #expect(json["tasks"]?[0]?["tasks"]?[0]?["tasks"]?[0]?["name"] == "inside")
        let events = try await show("b", "--key", "megan@contoso.com", "--events").split(separator: "\n")
        #expect(events.count == 6)
        let html = try await show("b", "--key", "megan@contoso.com", "--html", "-")
        #expect(html.contains("<title>journal: completed</title>"))
    }

    @Test func `an item at work is shown by its run`() async throws {
        try recordItems()
        let text = try await show("b.\(TemporaryBatches.name(3))")
        #expect(text.contains("state    interrupted\n") && text.contains("input    {\"n\":3}\n"), "\(text)")
        #expect(await refusal("b.0000000000000009abcd").contains("there is no run"))
        #expect(await refusal("other.0000000000000009abcd").contains("there is no run"))
    }

    @Test func `a key that is none, or two, is refused`() async throws {
        try recordItems()
        #expect(await refusal("b", "--key", "nobody").contains("no item with the key 'nobody' has finished"))
        let both = await refusal("b", "--key", "17")
        #expect(both.contains("2 items have the key '17'"), "\(both)")
        #expect(both.contains("graphflow show b.\(TemporaryBatches.name(4))"))
        #expect(await refusal("b", "--data").contains("'--data' needs an item of the batch"))
        try batches.record("c", total: 1, [])
    }

    @Test func `keys cannot give the terminal orders`() async throws {
        try batches.record(
            "b", total: 1, [Item(number: 1, state: .faulted, title: "\u{1B}[2J", key: "\u{1B}[2J\u{202E}")])
        let text = try await show("b")
        #expect(!text.contains("\u{1B}") && !text.contains("\u{202E}"))
        #expect(text.contains("\n  graphflow show b.\(TemporaryBatches.name(1))\n"), "\(text)")
    }
}
