import Foundation
import Promises
import TestSupport
import Testing
import WorkflowHTTP
import Workflows

@testable import graphflow

/// `--notify`: an event to an address when a run has ended.
@Suite struct NotifierTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ tasks: String) throws -> String {
        try folder.file(
            """
            document: { dsl: 1.0.3, namespace: tests, name: notified, version: 1.0.0 }
            use: { secrets: [key] }
            do:
              \(tasks)
            """)
    }

    private let failing = """
        - stop:
                raise:
                  error: { type: 'https://contoso.com/errors/test', status: 418, detail: '${ "no \\($secrets.key)" }' }
        """

    private func event(_ error: WorkflowError) -> Event {
        Event(
            number: 7, run: "RUN",
            workflow: Workflow.Metadata(dsl: "1.0.3", namespace: "tests", name: "notified", version: "1.0.0"),
            time: Date(timeIntervalSince1970: 0), kind: .workflowFaulted(error))
    }

    @Test func `a run that faulted is posted as one CloudEvent, without its secrets`() async throws {
        let service = try LoopbackService { _ in [:] }
        let console = TestConsole(environment: ["GRAPHFLOW_SECRET_KEY": "much-too-secret"])
        #expect(await console.run("run", try file(failing), "--notify", service.address + "/hook") == 1)
        let asked = service.asked.filter { $0.url.path == "/hook" }
        #expect(asked.count == 1)
        let request = try #require(asked.first)
        #expect(request.method == "POST")
        #expect(request.headers["Content-Type"] == "application/cloudevents+json")
        let body = try Value(json: request.body ?? Data())
        #expect(body["type"] == "io.serverlessworkflow.workflow.faulted.v1")
        #expect(body["specversion"] == "1.0")
        #expect(body["data"]?["error"]?["status"] == 418)
        #expect(!body.json().contains("much-too-secret"))
    }

    @Test(arguments: [[], ["--notify-on", "completed"]])
    func `a run that completed is posted only if asked for`(options: [String]) async throws {
        let service = try LoopbackService { _ in [:] }
        let console = TestConsole(environment: ["GRAPHFLOW_SECRET_KEY": "much-too-secret"])
        let arguments = ["run", try file("- a: { set: { b: 1 } }"), "--notify", service.address + "/hook"]
        #expect(await console.run(arguments + options) == 0)
        // Another test may still call a service that had this port.
        let asked = service.asked.filter { $0.url.path == "/hook" }
        let types = try asked.map { try Value(json: $0.body ?? Data())["type"]?.string }
        #expect(types == (options.isEmpty ? [] : ["io.serverlessworkflow.workflow.completed.v1"]))
    }

    @Test func `an unknown outcome has a type of its own`() async throws {
        let transport = ScriptedTransport(.status(202))
        let notifier = Notifier(
            try #require(URL(string: "https://hooks.contoso.com/a")), includingCompleted: false,
            TestConsole().console, transport: transport)
        notifier.recorder.record(event(WorkflowError(.unknownOutcome, detail: "a mail may have been sent")))
        await notifier.noneLeft.value
        let body = try Value(json: try #require(transport.requests.first?.body))
        #expect(body["type"] == "io.graphflow.run.unknown.v1")
    }

    @Test func `a post is repeated until the service takes it, with the same event`() async throws {
        let transport = ScriptedTransport(.status(503), .lost(.sent), .status(200))
        let clock = ImpatientClock()
        let console = TestConsole()
        let notifier = Notifier(
            try #require(URL(string: "https://hooks.contoso.com/a")), includingCompleted: false, console.console,
            transport: transport, clock: clock)
        notifier.recorder.record(event(WorkflowError(.runtime, detail: "it failed")))
        await notifier.noneLeft.value
        #expect(transport.requests.count == 3)
        #expect(Set(transport.requests.map(\.body)).count == 1)
        #expect(clock.delays.count == 2)
        #expect(console.standardError.isEmpty)
    }

    @Test(arguments: [
        ([ScriptedTransport.Reply.status(404)], 1, "it answered 404 Not Found"),
        ([.lost(), .lost(), .lost(), .lost()], 4, "reset by peer"),
    ])
    func `what cannot be delivered is a warning that names no more than the host`(
        replies: [ScriptedTransport.Reply], count: Int, reason: String
    ) async throws {
        let transport = ScriptedTransport(replies)
        let console = TestConsole()
        let notifier = Notifier(
            try #require(URL(string: "https://hooks.contoso.com/secret-path?key=1")), includingCompleted: false,
            console.console, transport: transport, clock: ImpatientClock())
        notifier.recorder.record(event(WorkflowError(.runtime, detail: "it failed")))
        await notifier.noneLeft.value
        #expect(transport.requests.count == count)
        #expect(console.standardError == "warning: hooks.contoso.com was not notified: \(reason)\n")
    }

    @Test func `a service that never answers holds a limited number of notifications, and interruption ends them`()
        async throws
    {
        let transport = SilentTransport()
        let console = TestConsole()
        let notifier = Notifier(
            try #require(URL(string: "https://hooks.contoso.com/a")), includingCompleted: false, console.console,
            transport: transport)
        for _ in 0..<Notifier.limit + 1 {
            notifier.recorder.record(event(WorkflowError(.runtime, detail: "it failed")))
        }
        #expect(console.standardError.contains("\(Notifier.limit) notifications are already on their way"))
        notifier.stop()
        await notifier.noneLeft.value
    }

    @Test(arguments: [
        ["--notify", "http://contoso.com/hook"], ["--notify", "hooks"], ["--notify", "file:///tmp/a"],
        ["--notify", "https://hooks.contoso.com/a#b"],
        ["--notify-on", "completed"], ["--notify", "https://hooks.contoso.com", "--notify-on", "started"],
    ])
    func `an address or an occasion that cannot be is refused before anything runs`(options: [String]) async throws {
        let console = TestConsole()
        #expect(await console.run(["run", try file("- a: { set: { b: 1 } }")] + options) == 64)
        #expect(console.standardError.contains("--notify"))
    }

    @Test func `a plan has the notifications, and its run notifies nobody else`() async throws {
        let place = try WorkflowPlace("  - a: { set: { b: 1 } }\n", head: "")
        let plan = place.folder.appending(path: "plan.json").path()
        let hook = ["--notify", "https://hooks.contoso.com/s3cret", "--notify-on", "completed"]
        let made = place.console()
        let arguments = ["run", place.file, "--dry-run", "--format", "json", "--plan-out", plan]
        #expect(await made.run(arguments + hook) == 0)
        let effects = try Value(json: made.standardOutput)["effects"]?.array ?? []
        #expect(effects.map { $0["kind"] } == ["notification", "notification", "notification"])
        #expect(
            effects.map { $0["type"]?.string } == [
                "io.serverlessworkflow.workflow.faulted.v1", Notifier.unknownOutcome,
                "io.serverlessworkflow.workflow.completed.v1",
            ])
        #expect(effects.allSatisfy { $0["summary"] == "notifies hooks.contoso.com" && $0["source"] == .null })
        #expect(effects.allSatisfy { $0["count"] == ["atLeast": 0, "atMost": 1] && $0["task"] == "" })
        #expect(!made.standardOutput.contains("s3cret") && !made.standardError.contains("s3cret"))
        #expect(made.standardError.contains("--notify https://hooks.contoso.com/… --notify-on completed"))
        for other in [
            [], ["--notify", "https://hooks.example.com/x", "--notify-on", "completed"], Array(hook.prefix(2)),
        ] {
            let refused = place.console()
            #expect(await refused.run(["run", place.file, "--plan", plan, "--sandbox"] + other) == 2)
        }
        let other = place.console()
        #expect(await other.run("run", place.file, "--dry-run", "--format", "json", "--plan-out", plan + "2") == 0)
        let refused = place.console()
        #expect(await refused.run(["run", place.file, "--plan", plan + "2", "--sandbox"] + hook) == 2)
    }
}

/// A transport that never answers.
private struct SilentTransport: HTTPTransport {
    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        Promise<HTTPResponse>.pending().promise
    }
}
