import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// Plans of `call: mcp`, and runs that keep to them.
@Suite struct MCPPlanTests {
    private func programs(_ plan: Plan) -> [PlannedProcess] {
        plan.steps.compactMap { if case .process(let program) = $0 { program } else { nil } }
    }

    /// The error of a run that is not as planned; nil if there is none.
    private func deviation(
        _ runner: Runner, _ workflow: Workflow, _ approved: ApprovedPlan, input: Value? = nil
    ) async -> String? {
        do {
            _ = try await runner.run(workflow, input: input, as: approved).value
            return nil
        } catch let error as WorkflowError {
            return error.detail
        } catch {
            return "\(error)"
        }
    }

    private func approved(_ runner: Runner, _ workflow: Workflow, mode: Plan.Mode = .dry) async throws -> ApprovedPlan {
        try ApprovedPlan(ApprovedPlan(try await runner.plan(workflow, mode: mode).value).value)
    }

    @Test(arguments: ["2025-06-18", "2026-07-28"])
    func `a plan has the exact requests, and a run sends them`(version: String) async throws {
        let service = MCPService(session: "s-1")
        let runner = MCPFixture.runner(service)
        let tasks = MCPFixture.task("tools/call", "{ name: 'lend ä', arguments: { n: 1.50 } }", version: version)
        let workflow = try Workflow(tasks: tasks)
        let plan = try await runner.plan(workflow).value
        #expect(service.requests.isEmpty)
        #expect(plan.isComplete)
        #expect(plan.output == "‹ask›")
        #expect(
            plan.effects.map(\.value) == [
                Effect(.tool(server: "books.contoso.com", tool: "lend ä")).planned(in: ["do", "0", "ask"]).value
            ])
        _ = try await runner.run(workflow).value
        #expect(plan.requests.map(\.request) == service.requests.map(\.withoutSession))
        #expect(plan.requests.map(\.operation.effect).last == .once)
        #expect(await deviation(runner, workflow, try await approved(runner, workflow)) == nil)
        #expect(service.methods.count == 2 * plan.requests.count)
    }

    @Test(arguments: ["2025-06-18", "2026-07-28"])
    func `what only a run knows is a slot`(version: String) async throws {
        let service = MCPService(session: "s-1") { method, params in
            method == "tools/call" && params["name"] == "first"
                ? .result(["structuredContent": ["title": "Ä, \"b\"", "tool": "Än"]]) : nil
        }
        let runner = MCPFixture.runner(service)
        let tasks =
            MCPFixture.task("tools/call", "{ name: first }", version: version, effect: "read") + "\n"
            + MCPFixture.task(
                "tools/call",
                "{ name: 'x-${ .structuredContent.tool }', arguments: { title: '${ .structuredContent.title }' } }",
                version: version
            ).replacing("- ask:", with: "- then:") + "\n"
            + MCPFixture.task("tools/call", "'${ { name: \"a\", arguments: . } }'", version: version).replacing(
                "- ask:", with: "- last:")
        let workflow = try Workflow(tasks: tasks)
        let approved = try await approved(runner, workflow)
        #expect(service.requests.isEmpty)
        #expect(await deviation(runner, workflow, approved) == nil)
        #expect(service.methods.count { $0 == "tools/call" } == 3)
    }

    @Test func `a run of an approved plan sends no other call`() async throws {
        let service = MCPService()
        let runner = MCPFixture.runner(service)
        func workflow(_ name: String, _ host: String = "books.contoso.com") throws -> Workflow {
            try Workflow(
                tasks: MCPFixture.task("tools/call", "{ name: \(name) }", "http: { endpoint: 'https://\(host)/mcp' }"))
        }
        let plan = try await runner.plan(workflow("lend")).value
        for other in [try workflow("burn"), try workflow("lend", "evil.contoso.com")] {
            var doing = runner.doing(plan)
            doing.recorders = []
            let error = await MCPFixture.error { try await doing.run(other).value }
            #expect(error?.type == PlanDeviation.type)
        }
        #expect(!service.methods.contains("tools/call"))
    }

    @Test func `a plan with reads asks what only reads, and nothing else`() async throws {
        let service = MCPService(session: "new") { method, _ in
            method == "tools/list"
                ? .result(["tools": [["name": "find", "annotations": ["readOnlyHint": true]], ["name": "lend"]]]) : nil
        }
        let runner = MCPFixture.runner(service)
        let list = try await runner.plan(Workflow(tasks: MCPFixture.task("resources/list")), mode: .read).value
        #expect(service.methods == ["initialize", "notifications/initialized", "resources/list"])
        #expect(list.output["content"] != nil && list.isComplete && list.effects.isEmpty)
        #expect(!list.value.json().contains("new"))
        _ = try await runner.plan(Workflow(tasks: MCPFixture.task("tools/call", "{ name: lend }")), mode: .read).value
        #expect(service.methods.count == 3)
        func annotated(_ name: String) throws -> Workflow {
            try Workflow(tasks: MCPFixture.task("tools/call", "{ name: \(name) }", effect: "annotations"))
        }
        let find = try await runner.plan(annotated("find"), mode: .read).value
        #expect(service.methods.suffix(3) == ["initialize", "notifications/initialized", "tools/call"])
        #expect(find.effects.isEmpty)
        let lend = try await runner.plan(annotated("lend"), mode: .read).value
        #expect(service.methods.last == "tools/list")
        #expect(lend.effects.map(\.kind) == [.tool])
        // Without reads, the annotations are not known.
        let count = service.methods.count
        #expect(try await runner.plan(annotated("find")).value.effects.map(\.isOnce) == [true])
        #expect(service.methods.count == count)
        for workflow in [try annotated("find"), try annotated("lend")] {
            #expect(await deviation(runner, workflow, try await approved(runner, workflow)) == nil)
            #expect(await deviation(runner, workflow, try await approved(runner, workflow, mode: .read)) == nil)
        }
    }

    @Test(.timeLimit(.minutes(60))) func `a plan has the program with its lines, and starts nothing`() async throws {
        let folder = try MCPFixture.folder()
        let runner = MCPFixture.runner(clock: .patient)
        let tasks = MCPFixture.task("tools/call", "{ name: lend, arguments: { a: 'ä\"%' } }", MCPFixture.program)
        let workflow = try Workflow(tasks: tasks, folder: folder.url)
        for mode in [Plan.Mode.dry, .read] {
            let plan = try await runner.plan(workflow, mode: mode).value
            let program = try #require(programs(plan).first)
            #expect(program.call == ["python3", "server.py"])
            #expect(program.standardInput?.split(separator: "\n").count == 3)
            #expect(program.standardInput?.contains(#""arguments":{"a":"ä\"%"}"#) == true)
            #expect(plan.effects.map(\.kind) == [.program, .tool])
            #expect(plan.effects.last?.details == .tool(server: "python3", tool: "lend"))
            #expect(plan.output == "‹ask›")
        }
        let list = try Workflow(
            tasks: MCPFixture.task("tools/list", "{}", MCPFixture.program), folder: folder.url)
        #expect(try await runner.plan(list, mode: .read).value.effects.map(\.kind) == [.program])
        #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "started").path))
        #expect(await deviation(runner, workflow, try await approved(runner, workflow)) == nil)
        let sent = try String(contentsOf: folder.url.appending(path: "messages"), encoding: .utf8)
        let planned = try #require(programs(try await runner.plan(workflow).value).first?.standardInput)
        #expect(sent.split(separator: "\n").filter { $0.contains("\"method\"") } == planned.split(separator: "\n"))
    }

    @Test(
        .timeLimit(.minutes(60)),
        arguments: [
            ("command: sh, arguments: [server.py]", "lend"), ("command: python3, arguments: [other.py]", "lend"),
            ("command: python3, arguments: [server.py, more]", "lend"),
            ("command: python3, arguments: [server.py], environment: { A: b }", "lend"),
            ("command: python3, arguments: [server.py]", "burn"),
        ])
    func `a run of an approved plan starts no other program`(stdio: String, tool: String) async throws {
        let folder = try MCPFixture.folder()
        let runner = MCPFixture.runner(clock: .patient)
        let planned = try Workflow(
            tasks: MCPFixture.task("tools/call", "{ name: lend }", MCPFixture.program), folder: folder.url)
        let plan = try await runner.plan(planned).value
        let other = try Workflow(
            tasks: MCPFixture.task("tools/call", "{ name: \(tool) }", "stdio: { \(stdio) }"), folder: folder.url)
        let error = await MCPFixture.error { try await runner.doing(plan).run(other).value }
        #expect(error?.type == PlanDeviation.type)
        #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "started").path))
    }

    @Test(arguments: [(Runner.Assumption.sent, 0), (.notSent, 3)])
    func `a call that was cut off is asked for, and made again only as decided`(
        assumption: Runner.Assumption, messages: Int
    ) async throws {
        let tasks = MCPFixture.task("tools/call", "{ name: lend }")
        let process = CrashingRun(endingWith: { if case .callStarted = $0.kind { true } else { false } })
        let runner = MCPFixture.runner(MCPService())
        _ = try await process.run(Workflow(tasks: tasks), input: [:], by: runner, blobs: BlobStore())
        func resume(_ service: MCPService, _ assumption: Runner.Assumption?) async throws -> Value? {
            try await CrashingRun(events: process.events).resume(
                Workflow(tasks: tasks), input: [:], by: MCPFixture.runner(service), blobs: BlobStore(),
                assuming: assumption)
        }
        await #expect(throws: UnsettledEffects.self) { try await resume(MCPService(), nil) }
        let service = MCPService()
        _ = try await resume(service, assumption)
        #expect(service.methods.count == messages)
    }

    @Test func `a function of the network starts no server`() async throws {
        let function = """
            call: mcp
            with: { method: tools/list, transport: { stdio: { command: sh } } }
            """
        let transport = ScriptedTransport(.status(200, ["Content-Type": "application/yaml"], function))
        let workflow = try Workflow(tasks: "- ask: { call: 'https://functions.contoso.com/list.yaml' }")
        let error = await MCPFixture.error { try await MCPFixture.runner(transport).run(workflow).value }
        #expect(error?.detail?.contains("it starts programs") == true)
    }
}

extension Effect {
    fileprivate func planned(in task: [String]) -> Effect {
        var effect = self
        effect.task = JSONPointer(task)
        effect.isOnce = true
        return effect
    }
}
