import Foundation
import Promises
import TestSupport
import Testing
import Workflows

@testable import graphflow

/// `graphflow runs`, `show` and `rm` over runs of every kind.
@Suite struct RunsCommandTests {
    private let runs = TemporaryRuns()
    private let task = JSONPointer(["do", "0", "greet"])
    // Real time: what happened an hour ago is shown so for another hour.
    private static let now = Date()

    private func console(_ environment: [String: String] = [:]) -> TestConsole {
        TestConsole(environment: ["GRAPHFLOW_HOME": runs.home.path].merging(environment) { $1 })
    }

    private static func name(_ number: Int) -> String {
        "01J000000000000000000000" + (number < 10 ? "0" : "") + "\(number)"
    }

    private func error(_ kind: WorkflowError.Kind) -> WorkflowError {
        WorkflowError(kind, detail: "the service said no", instance: task)
    }

    /// One run in each state that a run can have without a process, the newest one first.
    private func recordAll() throws {
        let started: [Event.Kind] = [.workflowStarted(input: 1, context: 1), .taskStarted(task, input: nil)]
        let ends: [[Event.Kind]] = [
            [.taskCompleted(task, output: 1, context: nil, then: .continue), .workflowCompleted(output: ["a": 1])],
            [.taskFaulted(task, error(.communication)), .workflowFaulted(error(.communication))],
            [.taskCancelled(task), .workflowCancelled], [.workflowSuspended], [],
            [.taskFaulted(task, error(.unknownOutcome)), .workflowFaulted(error(.unknownOutcome))],
        ]
        for (index, end) in ends.enumerated() {
            try runs.record(
                started + end, as: Self.name(ends.count - index),
                startedAt: Self.now.addingTimeInterval(-3_600 * Double(index + 1)))
        }
    }

    @Test func `runs are listed, the newest first, with their states`() async throws {
        try recordAll()
        let json = console()
        #expect(await json.run("runs", "--json") == 0)
        let list = try #require(Value(json: json.standardOutput).array)
        #expect(
            list.map { $0["state"] } == ["completed", "faulted", "cancelled", "suspended", "interrupted", "unknown"])
        #expect(list[0].object?.keys == ["kind", "run", "workflow", "state", "startedAt", "duration", "sandbox"])
        #expect(list.map { $0["error"]?["title"] } == [nil, "Communication error", nil, nil, nil, "Unknown outcome"])
        #expect(list[1]["error"]?["detail"] == nil)
        #expect(list[0]["run"]?.string == Self.name(6))
        #expect(list[0]["workflow"] == "journal")
        #expect(list[0]["startedAt"]?.string?.hasSuffix("Z") == true)
        #expect(list.map { $0["duration"] } == [3, 3, 3, 2, 1, 3])
        let table = console()
        #expect(await table.run("runs") == 0)
        let lines = table.standardOutput.split(separator: "\n")
        #expect(lines.count == 7)
        #expect(lines[0].split(separator: " ") == ["RUN", "WORKFLOW", "STATE", "STARTED", "TOOK", "ERROR"])
        #expect(lines[2].hasSuffix("  3.0 s  Communication error"))
        #expect(lines[1] == "\(Self.name(6))  journal   completed    1 h ago  3.0 s")
    }

    @Test func `a run that a process is at work on is running`() async throws {
        let journal = try Journal.begin(
            TemporaryRuns.header(Self.name(1)), text: TemporaryRuns.text, in: runs.folder)
        for event in TemporaryRuns.events([.workflowStarted(input: 1, context: 1)], of: journal.header) {
            try journal.append(event)
        }
        let running = console()
        #expect(await running.run("runs", "--json") == 0)
        #expect(try Value(json: running.standardOutput)[0]?["state"] == "running")
        let refused = console()
        #expect(await refused.run("rm", Self.name(1)) == 1)
        #expect(refused.standardError.contains("is in progress in another process"))
        #expect(try runs.folder.names == [Self.name(1)])
        withExtendedLifetime(journal) {}
    }

    @Test(arguments: [false, true])
    func `a run that was killed while an effect was open that must happen once is unknown`(ended: Bool) async throws {
        let call: [Event.Kind] = [.callStarted(task, .once)] + (ended ? [.callEnded(task, .completed(1))] : [])
        try runs.record(
            [.workflowStarted(input: 1, context: 1), .taskStarted(task, input: nil)] + call, as: Self.name(1),
            startedAt: Self.now)
        let list = console()
        #expect(await list.run("runs", "--json") == 0)
        let state: Value = ended ? "interrupted" : "unknown"
        #expect(try Value(json: list.standardOutput)[0]?["state"] == state)
        let shown = console()
        #expect(await shown.run("show", Self.name(1), "--json") == 0)
        #expect(try Value(json: shown.standardOutput)["state"] == state)
    }

    @Test func `another process neither removes nor opens what is held here`() async throws {
        let journal = try Journal.begin(
            TemporaryRuns.header(Self.name(1)), text: TemporaryRuns.text, in: runs.folder)
        let environment = ["GRAPHFLOW_HOME": runs.home.path]
        let removed = try await GraphflowProcess(["rm", Self.name(1)], environment: environment).result()
        #expect(removed.status == 1)
        #expect(removed.error.contains("(\(ProcessInfo.processInfo.processIdentifier))"), "\(removed.error)")
        let list = try await GraphflowProcess(["runs", "--json"], environment: environment).result()
        #expect(try Value(json: list.output)[0]?["state"] == "running")
        withExtendedLifetime(journal) {}
    }

    @Test(
        arguments: [
            (["--state", "faulted"], [5]), (["--workflow", "journal", "--limit", "2"], [6, 5]),
            (["--workflow", "other"], []), (["--all"], [6, 5, 4, 3, 2, 1]),
        ])
    func `runs are chosen`(options: [String], numbers: [Int]) async throws {
        try recordAll()
        let console = console()
        #expect(await console.run(["runs", "--json"] + options) == 0)
        let names = try Value(json: console.standardOutput).array?.map { $0["run"]?.string }
        #expect(names == numbers.map { Self.name($0) })
    }

    @Test func `at most twenty are listed, and it is said that there are more`() async throws {
        for number in 1...21 { try runs.record([], as: Self.name(number)) }
        let console = console()
        #expect(await console.run("runs") == 0)
        #expect(console.standardOutput.split(separator: "\n").count == 21)
        #expect(console.standardError.contains("--all"))
    }

    @Test func `where there are none, it is said`() async throws {
        let console = console()
        #expect(await console.run("runs") == 0)
        #expect(console.standardOutput.isEmpty)
        #expect(console.standardError.contains("There are no runs yet"))
        let json = self.console()
        #expect(await json.run("runs", "--json") == 0)
        #expect(json.standardOutput == "[]\n")
    }

    @Test func `a journal that cannot be read is listed as damaged, and does not keep others from being shown`()
        async throws
    {
        try runs.record([], as: Self.name(2))
        try runs.record([], as: Self.name(1))
        try Data("{}\n".utf8).write(to: URL(fileURLWithPath: runs.path(Self.name(2))))
        let console = console()
        #expect(await console.run("runs", "--json") == 0)
        let list = try Value(json: console.standardOutput)
        #expect(list[0]?["state"] == "damaged")
        #expect(list[1]?["state"] == "interrupted")
    }

    @Test(
        arguments: [
            (["runs", "x"], "graphflow show x"), (["runs", "--state", "compleed"], "did you mean 'completed'?"),
            (["runs", "--limit", "0"], "at least 1"), (["show"], "'graphflow runs' lists them"),
            (["show", "01J9"], "there is no run '01J9'"),
            (["show", "01J", "--json", "--events"], "cannot be used together"),
            (["show", "01J"], "6 runs begin with '01J'"), (["rm"], "'graphflow runs' lists them"),
            (["rm", "--older-than", "30"], "--older-than 30d"), (["rm", "--keep", "-1"], "at least 0"),
            (["rm", "01J", "--keep", "1"], "not more than one"), (["rm", "../../etc"], "there is no run"),
        ])
    func `what is wrong is said, with what to type`(arguments: [String], text: String) async throws {
        try recordAll()
        let console = console()
        #expect(await console.run(arguments) == 64)
        #expect(console.standardError.contains(text), "\(console.standardError)")
        #expect(try runs.folder.names.count == 6)
    }

    @Test func `named runs go, whatever they are, by the beginning of their names`() async throws {
        try recordAll()
        #expect(await console().run("rm", Self.name(6).lowercased(), Self.name(1), Self.name(1)) == 0)
        #expect(try runs.folder.names == [5, 4, 3, 2].map { Self.name($0) })
    }

    @Test func `runs that are over go, but for the newest, and those that can be resumed stay`() async throws {
        try recordAll()
        #expect(await console().run("rm", "--older-than", "150m") == 0)
        #expect(try runs.folder.names == [6, 5, 3, 2, 1].map { Self.name($0) })
        #expect(await console().run("rm", "--keep", "1") == 0)
        #expect(try runs.folder.names == [6, 3, 2, 1].map { Self.name($0) })
        #expect(try runs.folder.prune(keeping: 0) == [Self.name(6)])
        #expect(try FileManager.default.contentsOfDirectory(atPath: runs.folder.url.path).count == 3)
    }

    @Test func `the journal of a run that is known to be over is not read again`() throws {
        try recordAll()
        var over: Set<String> = []
        #expect(try runs.folder.prune(keeping: 2, over: &over) == [Self.name(4)])
        #expect(over == [Self.name(6), Self.name(5)])
        // It would be damaged, and kept.
        try FileManager.default.removeItem(atPath: runs.path(Self.name(5), "journal.jsonl"))
        try runs.record([.workflowStarted(input: 1, context: 1), .workflowCompleted(output: 1)], as: Self.name(7))
        #expect(try runs.folder.prune(keeping: 2, over: &over) == [Self.name(5)])
        #expect(over == [Self.name(7), Self.name(6)])
        try runs.folder.remove(Self.name(7))
        #expect(try runs.folder.prune(keeping: 1, over: &over) == [])
        #expect(over == [Self.name(6)])
        #expect(try runs.folder.names == [6, 3, 2, 1].map { Self.name($0) })
    }

    @Test func `a run in a sandbox cannot be resumed, and goes with those that are over`() async throws {
        do {
            var header = TemporaryRuns.header(Self.name(1))
            header.isSandboxed = true
            let journal = try Journal.begin(header, text: TemporaryRuns.text, in: runs.folder)
            for event in TemporaryRuns.events([.workflowStarted(input: 1, context: 1), .workflowSuspended], of: header)
            {
                try journal.append(event)
            }
        }
        let list = console()
        #expect(await list.run("runs", "--json") == 0)
        #expect(try Value(json: list.standardOutput)[0]?["state"] == "interrupted")
        let shown = console()
        #expect(await shown.run("show", Self.name(1)) == 0)
        #expect(shown.standardOutput.contains("It cannot be resumed"))
        #expect(!shown.standardOutput.contains("graphflow resume"))
        #expect(try runs.folder.prune(keeping: 0) == [Self.name(1)])
    }
}
