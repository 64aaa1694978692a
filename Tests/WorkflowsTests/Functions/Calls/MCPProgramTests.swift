import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// dsl-reference.md, "MCP Call", over the standard streams of a program.
@Suite struct MCPProgramTests {
    private let folder: TemporaryFolder

    init() throws { folder = try MCPFixture.folder() }

    private func task(
        _ name: String, version: String? = nil, effect: String? = nil, more: String = "",
        environment: String = "MOOD: good"
    ) -> String {
        MCPFixture.task(
            "tools/call", "{ name: '\(name)', arguments: { title: '${ .title }' } }",
            "stdio: { command: python3, arguments: [server.py], environment: { \(environment) } }", version: version,
            effect: effect, more: more)
    }

    private func run(
        _ task: String, title: String = "Atlas", by runner: Runner = MCPFixture.runner(clock: .patient)
    ) async throws -> Value {
        let workflow = try Workflow(tasks: task, folder: folder.url)
        return try await runner.run(workflow, input: ["title": .string(title)]).value
    }

    private func error(_ task: String, _ runner: Runner = MCPFixture.runner(clock: .patient)) async -> WorkflowError? {
        await MCPFixture.error { try await run(task, by: runner) }
    }

    /// The messages that the server got, in the order of all runs.
    private var messages: [Value] {
        let text = (try? String(contentsOf: folder.url.appending(path: "messages"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { try? Value(json: String($0)) }
    }

    /// How often the server was started.
    private var starts: Int { (try? Data(contentsOf: folder.url.appending(path: "started")).count) ?? 0 }

    @Test(.timeLimit(.minutes(60)), arguments: ["2025-06-18", "2025-11-25", "2026-07-28"])
    func `a program is started, called and ended, and gets only harmless variables`(version: String) async throws {
        let runner = MCPFixture.runner(clock: .patient)
        let result = try await run(task("find", version: version), title: "Ä \"%‹x›'\n", by: runner)
        #expect(result["got"]?["name"] == "find")
        #expect(result["got"]?["arguments"] == ["title": "Ä \"%‹x›'\n"])
        #expect(result["mood"] == "good")
        #expect(result["variables"]?.array?.contains("AZURE_CLIENT_SECRET") == false)
        #expect(runner.processes.identifiers == [])
        let methods = messages.compactMap { $0["method"]?.string }
        guard version != "2026-07-28" else {
            #expect(methods == ["tools/call"])
            #expect(result["got"]?["_meta"]?["io.modelcontextprotocol/protocolVersion"] == .string(version))
            return
        }
        // What the server asks is answered before its next message is read.
        #expect(
            messages.compactMap { $0["method"] ?? $0["id"] }
                == ["initialize", "s1", "s2", "notifications/initialized", "tools/call"])
        #expect(messages.compactMap { $0["method"] == nil ? nil : $0["id"] } == [1, 2])
        let answers = messages.filter { $0["method"] == nil }
        #expect(answers.first { $0["id"] == "s1" }?["result"] == [:])
        #expect(answers.first { $0["id"] == "s2" }?["error"]?["code"] == -32601)
    }

    @Test(.timeLimit(.minutes(60))) func `a hostile argument of 10,000 characters arrives unchanged`() async throws {
        let title = "Ä\"'\\%‹x›\u{7f}\u{2028}\u{1F4D8}" + String(repeating: "n", count: 100_000)
        #expect(try await run(task("find"), title: title)["got"]?["arguments"] == ["title": .string(title)])
    }

    @Test(.timeLimit(.minutes(60))) func `what a server says besides messages is skipped`() async throws {
        #expect(try await run(task("find", environment: "GREETS: 'yes'"))["got"]?["name"] == "find")
    }

    @Test(.timeLimit(.minutes(60))) func `a server that does not end by itself is ended`() async throws {
        let runner = MCPFixture.runner(clock: .patient)
        #expect(try await run(task("linger"), by: runner) == ["content": []])
        try await runner.processes.noneLeft.value
        #expect(runner.processes.identifiers == [])
    }

    @Test(.timeLimit(.minutes(60))) func `a server that dies has its last words in the error`() async throws {
        let once = await error(task("die"))
        #expect(once?.is(.unknownOutcome) == true)
        #expect(once?.detail?.contains("'python3' ended with exit code 3 before it answered") == true)
        #expect(once?.detail?.hasSuffix(": no space left") == true)
        let reading = await error(task("die", effect: "read"))
        #expect(reading?.is(.runtime) == true)
        #expect(reading?.detail?.hasPrefix("'python3' ended with exit code 3") == true)
        // The outcome is known where the request was not sent.
        let early = await error(
            MCPFixture.task(
                "tools/call", "{ name: find }",
                "stdio: { command: sh, arguments: [-c, 'echo hm; echo no >&2; exit 2'] }"))
        #expect(early?.is(.runtime) == true)
        #expect(early?.detail?.contains("it wrote 'hm' to its standard output") == true)
        #expect(early?.detail?.hasSuffix(": no") == true)
    }

    @Test(.timeLimit(.minutes(60))) func `a server that takes too long is ended, with what it said`() async throws {
        let clock = ManualClock()
        let runner = MCPFixture.runner(clock: clock)
        let mark = folder.url.appending(path: "waiting").path
        func ended(_ task: String, after time: Duration) async throws -> WorkflowError? {
            let workflow = try Workflow(tasks: task, folder: folder.url)
            async let outcome = MCPFixture.error { try await runner.run(workflow, input: ["title": "Atlas"]).value }
            while !FileManager.default.fileExists(atPath: mark) { await pause() }
            try FileManager.default.removeItem(atPath: mark)
            clock.advance(by: time)
            return await outcome
        }
        let reading = try await ended(task("hang", effect: "read", more: "timeout: PT2S, "), after: .seconds(2))
        #expect(reading?.is(.timeout) == true)
        #expect(reading?.detail?.contains("did not answer within 2 s") == true)
        #expect(reading?.detail?.hasSuffix(": waiting for the shelf") == true)
        let once = try await ended(task("hang", more: "timeout: { milliseconds: 1500 }, "), after: .milliseconds(1500))
        #expect(once?.is(.unknownOutcome) == true)
        try await runner.processes.noneLeft.value
    }

    @Test(.timeLimit(.minutes(60))) func `a message that is too large ends the call`() async throws {
        let runner = MCPFixture.runner(clock: .patient)
        let error = await error(task("flood", effect: "read"), runner)
        #expect(error?.detail?.contains("sent a message of more than 64 MB") == true)
        try await runner.processes.noneLeft.value
    }

    @Test(.timeLimit(.minutes(60))) func `errors of the server and of the tool are runtime errors`() async throws {
        let failed = await error(task("fail"))
        #expect(failed?.is(.runtime) == true)
        #expect(
            failed?.detail?.hasPrefix("the tool 'fail' of the MCP server 'python3' failed: no such book xxx") == true)
        #expect((failed?.detail?.count ?? 9_000) < 2_200)
        let refused = await error(task("refuse"))
        #expect(refused?.detail?.contains("refused 'tools/call': Unknown tool (error -32602)") == true)
        let other = await error(task("find", environment: "SPEAKS: '2024-11-05'"))
        #expect(other?.detail?.contains("speaks version 2024-11-05 of the protocol") == true)
        #expect(other?.is(.runtime) == true)
    }

    @Test func `a program that is not there is an error of the configuration`() async {
        let error = await error(MCPFixture.task("tools/list", "{}", "stdio: { command: no-such-server }"))
        #expect(error?.is(.configuration) == true)
        #expect(error?.detail == "'no-such-server' is not in PATH: install it, or write its path")
        let path = await self.error(MCPFixture.task("tools/list", "{}", "stdio: { command: ./nothing }"))
        #expect(path?.is(.configuration) == true)
    }

    @Test(.timeLimit(.minutes(60))) func `cancelling the run ends the server`() async throws {
        let runner = MCPFixture.runner(clock: .patient)
        let run = runner.run(try Workflow(tasks: task("hang"), folder: folder.url), input: ["title": "a"])
        while runner.processes.identifiers.isEmpty || !messages.contains(where: { $0["id"] == 2 }) { await pause() }
        run.cancel()
        try await runner.processes.noneLeft.value
    }

    @Test(.timeLimit(.minutes(60))) func `annotations are asked of a server of its own`() async throws {
        for (name, effect) in [("find", "read"), ("put", "idempotent"), ("lend", "once")] {
            let log = EventLog()
            _ = try await run(
                task(name, effect: "annotations"), by: MCPFixture.runner(clock: .patient, recorders: [log.recorder]))
            let effects = log.events.compactMap { event -> String? in
                if case .callStarted(_, let effect) = event.kind { effect.rawValue } else { nil }
            }
            #expect(effects == [effect])
        }
        #expect(starts == 6)
    }

    @Test(.timeLimit(.minutes(60))) func `secrets reach the program, and nothing that people see`() async throws {
        let log = EventLog()
        let runner = MCPFixture.runner(
            clock: .patient, secrets: .values(["key": SecretValue("s3cr3t-k3y")]), recorders: [log.recorder])
        let tasks = MCPFixture.task(
            "tools/call", "{ name: find, arguments: { key: '${ $secrets.key }' } }",
            "stdio: { command: python3, arguments: [server.py], environment: { MOOD: '${ $secrets.key }' } }")
        let workflow = try Workflow(tasks: tasks, rest: "use: { secrets: [key] }", folder: folder.url)
        let output = try await runner.run(workflow).value
        let call = messages.first { $0["method"] == "tools/call" }
        #expect(call?["params"]?["arguments"] == ["key": "s3cr3t-k3y"])
        #expect(output["mood"] == "‹secrets.key›")
        #expect(!log.events.map { $0.cloudEvent.json() }.joined().contains("s3cr3t-k3y"))
        let plan = try await runner.plan(workflow).value
        #expect(!plan.value.json().contains("s3cr3t-k3y"))
    }
}
