import Foundation
import TestSupport
import Testing
@testable import Workflows

@testable import graphflow

/// `graphflow show`: the events of a run.
@Suite struct ShowCommandTests {
    private let runs = TemporaryRuns()
    private let run = "01J00000000000000000000001"

    private func show(_ arguments: String...) async -> String {
        let console = TestConsole(environment: ["GRAPHFLOW_HOME": runs.home.path])
        #expect(await console.run(["show", run] + arguments) == 0, "\(console.standardError)")
        return console.standardOutput
    }

    private func pointer(_ tokens: String...) -> JSONPointer { JSONPointer(tokens) }

    /// A run with a loop, retries, waits, a nested run and an error.
    private func recordMuch() throws {
        let journal = try Journal.begin(TemporaryRuns.header(run), text: TemporaryRuns.text, in: runs.folder)
        let loop = pointer("do", "0", "loop")
        let send = pointer("do", "0", "loop", "for", "do", "0", "send")
        let other = pointer("do", "1", "other")
        let error = WorkflowError(.communication, detail: "no answer", instance: other)
        var number = 0
        func add(
            _ kind: Event.Kind, _ occurrence: String = "", run: String? = nil, parent: Event.Parent? = nil
        ) throws {
            number += 1
            var workflow = TemporaryRuns.workflow
            if parent != nil { workflow.name = "inner" }
            try journal.append(
                Event(
                    number: number, run: run ?? self.run, workflow: workflow,
                    time: journal.header.startedAt.addingTimeInterval(Double(number)), kind: kind, parent: parent,
                    occurrence: occurrence))
        }
        func request(_ kind: GraphEvent.Kind) throws {
            try add(.request(send, GraphEvent(operation: "upload", task: send, kind: kind)), "for:1")
        }
        try add(.workflowStarted(input: 1, context: 1))
        try add(.taskStarted(loop, input: nil))
        try add(.taskStarted(send, input: nil), "for:0")
        try add(.taskCompleted(send, output: "one", context: nil, then: .continue), "for:0")
        try add(.taskStarted(send, input: nil), "for:1")
        try add(.callStarted(send, .idempotent), "for:1")
        try request(.uploaded(bytes: 1, total: 2_000_000))
        try request(.uploaded(bytes: 2_000_000, total: 2_000_000))
        try request(.retrying(attempt: 2, reason: "503 Service Unavailable", delay: .seconds(2)))
        try request(.held(delay: .seconds(1), reason: "busy"))
        try add(.taskRetried(send, attempt: 2, delay: .seconds(3), error: error), "for:1")
        try add(.taskCompleted(send, output: "two", context: nil, then: .continue), "for:1")
        try add(.taskCompleted(loop, output: 1, context: nil, then: .continue))
        try add(.taskStarted(other, input: nil))
        let parent = Event.Parent(run: run, task: other)
        let inner = pointer("do", "0", "greet")
        try add(.workflowStarted(input: 1, context: 1), run: "01J00000000000000000000002", parent: parent)
        try add(.taskStarted(inner, input: nil), run: "01J00000000000000000000002", parent: parent)
        try add(.taskFaulted(inner, error), run: "01J00000000000000000000002", parent: parent)
        try add(.workflowFaulted(error), run: "01J00000000000000000000002", parent: parent)
        try add(.taskFaulted(other, error))
        try add(.workflowFaulted(error))
    }

    @Test func `tasks are shown inside those that they are inside of, with what happened to them`() async throws {
        try recordMuch()
        let text = await show()
        let tree = try #require(text.components(separatedBy: "\n\n").dropFirst().first)
        #expect(
            tree == """
                ✓ loop               11.0 s
                  ✓ send (round 1)   1.0 s
                  ✓ send (round 2)   7.0 s, attempt 2, waited 6.0 s
                      ↑ 2.0 MB of 2.0 MB
                      ↻ attempt 2 after 2.0 s: 503 Service Unavailable
                      ↻ waited 1.0 s: busy
                      ↻ attempt 2 after 3.0 s: Communication error (500): no answer
                ✗ other              5.0 s
                    Communication error (500): no answer
                  ✗ run of inner     3.0 s
                      Communication error (500): no answer
                    ✗ greet          1.0 s
                """)
        #expect(text.hasPrefix("run      \(run)\nworkflow journal 1.0.0, in tests\nstate    faulted\n"))
        #expect(text.contains("\nerror    Communication error (500): no answer\n"))
        #expect(text.hasSuffix("\nTo continue:\n  graphflow resume \(run)\n"))
    }

    @Test func `a run is shown as JSON, with its tasks inside each other`() async throws {
        try recordMuch()
        let report = try Value(json: await show("--json"))
        #expect(report["state"] == "faulted")
        #expect(report["workflow"] == "journal")
        #expect(report["error"]?["status"] == 500)
        #expect(report["tasks"]?[0]?["tasks"]?.array?.map { $0["output"] } == ["one", "two"])
        let send = report["tasks"]?[0]?["tasks"]?[1]
        #expect(send?["attempts"] == 2)
        #expect(send?["effect"] == "idempotent")
        #expect(send?["task"] == "/do/0/loop/for/do/0/send")
        #expect(send?["notes"]?.array?.map { $0["kind"] } == ["uploaded", "requestRetried", "held", "retried"])
        #expect(report["tasks"]?[1]?["tasks"]?[0]?["tasks"]?[0]?["name"] == "greet")
        #expect(report["resume"] == .string("graphflow resume \(run)"))
    }

    @Test func `the events of the journal are printed as they were told`() async throws {
        try recordMuch()
        let lines = await show("--events").split(separator: "\n")
        #expect(lines.count == 20)
        let read = try lines.map { line in
            try Event(cloudEvent: Value(json: String(line)), workflow: TemporaryRuns.workflow)
        }
        #expect(read.map(\.number) == Array(1...20))
    }

    @Test func `a text that looks like a drawing is told apart from one, also if the drawing comes later`() async throws
    {
        let greet = pointer("do", "0", "greet")
        let journal = try Journal.begin(TemporaryRuns.header(run), text: TemporaryRuns.text, in: runs.folder)
        let kinds: [Event.Kind] = [
            .workflowStarted(input: "‹a›", context: 1), .taskStarted(greet, input: "‹b›"),
            .taskCompleted(greet, output: "‹c›", context: nil, then: .continue),
        ]
        var events = TemporaryRuns.events(kinds, of: journal.header)
        events[2].seals = []
        for event in events { try journal.append(event) }
        for options in [["--data"], ["--events"], ["--json", "--data"], ["--html", "-"]] {
            let console = TestConsole(environment: ["GRAPHFLOW_HOME": runs.home.path])
            #expect(await console.run(["show", run] + options) == 0)
            let text = console.standardOutput
            #expect(text.contains("‹‹›b‹››") && text.contains("‹‹›c‹››"), "\(options)")
            #expect(!text.contains("\"‹b›"), "\(options)")
        }
    }

    @Test func `a journal that is being written is shown up to its last whole line`() async throws {
        let greet = pointer("do", "0", "greet")
        let journal = try Journal.begin(TemporaryRuns.header(run), text: TemporaryRuns.text, in: runs.folder)
        for event in TemporaryRuns.events(
            [.workflowStarted(input: 1, context: 1), .taskStarted(greet, input: nil)], of: journal.header)
        {
            try journal.append(event)
        }
        #expect(await show().contains("\n… greet        "))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: runs.path(run)))
        try file.seekToEnd()
        try file.write(contentsOf: Data(#"{"specversion":"1.0","id":"#.utf8))
        let text = await show()
        #expect(text.contains("\nstate    running\n"))
        #expect(text.hasSuffix(" so far\n"))
        #expect(await show("--html", "-").contains(#""state":"running""#))
        withExtendedLifetime(journal) {}
    }

    @Test(arguments: [
        (["--json", "--html", "-"], "'--html' and '--json' cannot be used together"),
        (["--events", "--data"], "'--data' cannot be used with '--events'"),
        (["--json", "--all"], "'--all' cannot be used with '--json'"),
        (["--html", "/nowhere/at/all.html"], "the page cannot be written to '/nowhere/at/all.html'"),
    ])
    func `what does not go together is refused`(options: [String], text: String) async throws {
        try recordMuch()
        let console = TestConsole(environment: ["GRAPHFLOW_HOME": runs.home.path])
        #expect(await console.run(["show", run] + options) == 64)
        #expect(console.standardError.contains(text), "\(console.standardError)")
    }

    @Test func `of a run that was interrupted the command is said that goes on with it`() async throws {
        let greet = pointer("do", "0", "greet")
        try runs.record([.workflowStarted(input: 1, context: 1), .taskStarted(greet, input: nil)], as: run)
        let text = await show()
        #expect(text.contains("… greet        interrupted\n"))
        #expect(text.hasSuffix("\nTo continue:\n  graphflow resume \(run)\n"))
        #expect(try Value(json: await show("--json"))["resume"]?.string == "graphflow resume \(run)")
    }

    @Test func `it is said when a run was resumed, and a task that began again stands there once`() async throws {
        let greet = pointer("do", "0", "greet")
        try runs.record(
            [
                .workflowStarted(input: 1, context: 1), .taskStarted(greet, input: nil), .workflowSuspended,
                .workflowResumed(Event.Resumption()), .taskStarted(greet, input: nil),
                .taskCompleted(greet, output: 1, context: nil, then: .continue), .workflowCompleted(output: 1),
            ], as: run)
        let text = await show()
        #expect(text.contains("\nresumed  2027-01-15T08:00:03Z, "))
        // The second in which the run was suspended is not the task's own.
        #expect(text.hasSuffix("\n\n✓ greet        3.0 s\n"))
        #expect(try Value(json: await show("--json"))["resumedAt"] == ["2027-01-15T08:00:03.125Z"])
    }

    @Test func `of a run whose outcome is unknown a person is asked`() async throws {
        let error = WorkflowError(.unknownOutcome, detail: "it may have been sent")
        try runs.record([.workflowStarted(input: 1, context: 1), .workflowFaulted(error)], as: run)
        #expect(await show().hasSuffix("\n  graphflow resume \(run) --assume sent|not-sent\n"))
    }

    @Test func `what a file or a service says cannot give the terminal orders`() async throws {
        let evil = pointer("do", "0", "a\u{1B}[2J")
        let error = WorkflowError(["type": "x", "status": 500, "title": "\u{1B}[2J", "detail": "\u{9B}2J\u{202E}"])
        try runs.record(
            [
                .workflowStarted(input: "\u{9B}2J", context: 1), .taskStarted(evil, input: nil),
                .taskFaulted(evil, error), .workflowFaulted(error),
            ], as: run)
        let text = await show()
        #expect(!text.contains("\u{1B}") && !text.contains("\u{9B}") && !text.contains("\u{202E}"))
    }

    @Test func `lines fit a narrow terminal`() async throws {
        try recordMuch()
        let report = try RunReport(
            of: run, in: runs.folder, nil, keepsData: false, unfolds: false, now: Date(timeIntervalSince1970: 4e9))
        report.lines(width: 40, colour: false) { line in
            #expect(line.count <= 40 || line.hasPrefix("error") || line.hasPrefix("  graphflow"))
            return true
        }
        var other = report.summary
        other.run = "01K00000000000000000000001"
        let table = RunsTable([other, report.summary], now: report.header.startedAt, width: 70)
        let lines = table.lines(colour: false)
        #expect(lines.allSatisfy { $0.count <= 70 })
        #expect(lines[1].hasSuffix("Communication error") || lines[1].hasSuffix("…"))
    }

    @Test func `a journal that is damaged says where`() async throws {
        try recordMuch()
        let url = URL(fileURLWithPath: runs.path(run))
        let text = try String(contentsOf: url, encoding: .utf8).replacing(
            "no answer", with: "an answer", maxReplacements: 1)
        try FileHandle(forWritingTo: url).write(contentsOf: Data(text.utf8))
        let console = TestConsole(environment: ["GRAPHFLOW_HOME": runs.home.path])
        #expect(await console.run("show", run) == 1)
        #expect(console.standardError.contains("line 12 of the journal is damaged"), "\(console.standardError)")
    }
}
