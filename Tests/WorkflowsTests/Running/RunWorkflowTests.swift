import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// dsl-reference.md, "Workflow Process".
@Suite struct RunWorkflowTests {
    /// A folder of workflow files, which is removed after the test.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString, directoryHint: .isDirectory)

        init(_ files: [String: String]) throws {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            for (name, text) in files { try Data(text.utf8).write(to: url.appending(path: name)) }
        }

        deinit { try? FileManager.default.removeItem(at: url) }

        func workflow(_ name: String = "outer.yaml") throws -> Workflow {
            try Workflow(contentsOf: url.appending(path: name))
        }
    }

    private static func file(_ name: String, version: String = "1.0.0", _ tasks: String, rest: String = "") -> String {
        let indented = tasks.split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)" }
        return """
            document: { dsl: 1.0.3, namespace: tests, name: \(name), version: \(version) }
            \(rest)
            do:
            \(indented.joined(separator: "\n"))
            """
    }

    private static func call(_ name: String, version: String = "1.0.0", _ more: String = "", run: String = "") -> String
    {
        "run: { workflow: { namespace: tests, name: \(name), version: \(version)\(more) }\(run) }"
    }

    @Test func `runs a workflow with its input, and gives its output`() async throws {
        let folder = try Folder([
            "outer.yaml": Self.file(
                "outer", "- a: { \(Self.call("inner", ", input: { x: '${ .y }' }")) }\n- b: { set: { b: '${ . }' } }"),
            "inner.yaml": Self.file("inner", "- a: { set: { z: '${ .x }' }, then: end }\n- b: { set: { never: 1 } }"),
        ])
        let log = EventLog()
        let output = try await Runner.testing(recorders: [log.recorder]).run(try folder.workflow(), input: ["y": 7])
            .value
        #expect(output == ["b": ["z": 7]])
        let inner = try #require(log.events.first { $0.workflow.name == "inner" })
        #expect(inner.parent?.run == log.events.first?.run)
        #expect(inner.run != log.events.first?.run)
        #expect(inner.parent?.task.description == "/do/0/a")
        #expect(inner.cloudEvent["parentrun"]?.string == log.events.first?.run)
        #expect(inner.cloudEvent["parenttask"] == "/do/0/a")
    }

    @Test func `without an input of its own gets the task's, and its files lie in the same folder`() async throws {
        let folder = try Folder([
            "outer.yaml": Self.file("outer", "- a: { \(Self.call("inner")), input: { from: '${ { q: .y } }' } }"),
            "inner.json":
                #"{"document":{"dsl":"1.0.3","namespace":"tests","name":"inner","version":"1.0.0"},"do":[{"a":{"set":{"got":"${ .q }"}}}]}"#,
        ])
        #expect(try await Runner.testing().run(try folder.workflow(), input: ["y": 7]).value == ["got": 7])
    }

    @Test func `'latest' is the highest version, and a version that is named is that one`() async throws {
        func versions(_ wanted: String) throws -> Folder {
            try Folder([
                "outer.yaml": Self.file("outer", "- a: { \(Self.call("inner", version: wanted)) }"),
                "a.yml": Self.file("inner", version: "1.9.0", "- a: { set: { v: 9 } }"),
                "b.yaml": Self.file("inner", version: "1.10.0", "- a: { set: { v: 10 } }"),
                "c.yaml": Self.file("inner", version: "1.10.0-rc.1", "- a: { set: { v: rc } }"),
            ])
        }
        for (wanted, given) in [("latest", 10), ("1.9.0", 9), ("1.10.0-rc.1", "rc")] as [(String, Value)] {
            let folder = try versions(wanted)
            #expect(try await Runner.testing().run(try folder.workflow()).value == ["v": given])
        }
        let folder = try versions("2.0.0")
        let findings = try folder.workflow().validate()
        #expect(findings.map(\.id) == ["unknown-workflow"])
        #expect(findings.first?.hint?.contains("1.10.0") == true)
    }

    @Test func `what is not found, found twice or found with errors is a diagnostic, with those of the other file`()
        throws
    {
        let folder = try Folder([
            "outer.yaml": Self.file(
                "outer",
                """
                - a: { \(Self.call("innre")) }
                - b: { \(Self.call("twice")) }
                - c: { \(Self.call("broken")) }
                - d: { \(Self.call("inner")) }
                """),
            "inner.yaml": Self.file("inner", "- a: { call: photoo }"),
            "one.yaml": Self.file("twice", "- a: { wait: PT1S }"),
            "two.yaml": Self.file("twice", "- a: { wait: PT1S }"),
            "broken.yaml": Self.file("broken", "- a: { wiat: PT1S }"), "notes.yaml": "- broken: [", "data.json": "{}",
        ])
        let findings = try folder.workflow().validate()
        #expect(
            findings.map { "\($0.file.map { URL(fileURLWithPath: $0).lastPathComponent } ?? ""): \($0.id)" } == [
                "outer.yaml: unknown-workflow", "outer.yaml: ambiguous-workflow", "outer.yaml: invalid-workflow",
                "inner.yaml: unknown-function", "broken.yaml: unknown-task",
            ])
        #expect(findings.first?.hint == "did you mean 'tests/inner:1.0.0'?")
        let alone = try Workflow(tasks: "- a: { \(Self.call("inner")) }").validate()
        #expect(alone.map(\.id) == ["unknown-workflow"])
        #expect(alone.first?.hint == "run the workflow from a file: other workflows are found in its folder")
    }

    @Test func `the input is validated against the other workflow's input schema`() async throws {
        let folder = try Folder([
            "outer.yaml": Self.file("outer", "- a: { \(Self.call("inner", ", input: { x: '${ .y }' }")) }"),
            "inner.yaml": Self.file(
                "inner", "- a: { set: { z: '${ .x }' } }",
                rest: "input: { schema: { document: { properties: { x: { type: number } } } } }"),
        ])
        let error = await #expect(throws: WorkflowError.self) {
            try await Runner.testing().run(try folder.workflow(), input: ["y": "no"]).value
        }
        #expect(error?.is(.validation) == true)
        #expect(error?.instance == "/do/0/a")
        #expect(error?.detail?.contains("tests/inner:1.0.0") == true)
    }

    @Test func `an error of the other workflow is one of the task, with the place inside in its detail`() async throws {
        let raise =
            "- b: { raise: { error: { type: 'https://example.com/oh', status: 418, detail: short and stout } } }"
        let folder = try Folder([
            "outer.yaml": Self.file("outer", "- a: { \(Self.call("inner")) }"), "inner.yaml": Self.file("inner", raise),
        ])
        let error = await #expect(throws: WorkflowError.self) {
            try await Runner.testing().run(try folder.workflow()).value
        }
        #expect(error?.type == "https://example.com/oh")
        #expect(error?.status == 418)
        #expect(error?.instance == "/do/0/a")
        #expect(error?.detail == "in 'tests/inner:1.0.0', /do/0/b: short and stout")
    }

    @Test(.timeLimit(.minutes(60)))
    func `workflows that run themselves without end are ended by an error`() async throws {
        let folder = try Folder([
            "outer.yaml": Self.file("outer", "- a: { \(Self.call("inner")) }"),
            "inner.yaml": Self.file("inner", "- a: { \(Self.call("outer")) }"),
        ])
        #expect(try folder.workflow().validate() == [])
        let error = await #expect(throws: WorkflowError.self) {
            try await Runner.testing().run(try folder.workflow()).value
        }
        #expect(error?.is(.runtime) == true)
        #expect(error?.detail?.contains("runs itself endlessly") == true)
    }

    @Test func `workflows that fork into themselves are ended by an error before there are too many`() async throws {
        let folder = try Folder([
            "outer.yaml": Self.file(
                "outer",
                "- a: { fork: { branches: [ { b: { \(Self.call("outer")) } }, { c: { \(Self.call("outer")) } } ] } }")
        ])
        var runner = Runner.testing()
        runner.mostRunsAtWork = 100
        let error = await #expect(throws: WorkflowError.self) { try await runner.run(try folder.workflow()).value }
        #expect(error?.is(.runtime) == true)
        #expect(error?.detail?.contains("more than 100 workflows run inside this run at the same time") == true)
    }

    @Test func `workflows that run themselves one after the other are ended by an error as well`() async throws {
        let call = Self.call("outer")
        let folder = try Folder([
            "outer.yaml": Self.file("outer", "- a: { try: [ { b: { \(call) } } ], catch: {} }\n- c: { \(call) }")
        ])
        var runner = Runner.testing()
        runner.mostRecursiveRuns = 200
        let error = await #expect(throws: WorkflowError.self) { try await runner.run(try folder.workflow()).value }
        #expect(error?.is(.runtime) == true)
        #expect(error?.detail?.contains("ran itself more than 200 times in one run") == true)
    }

    @Test func `a workflow may be run any number of times by another one`() async throws {
        let folder = try Folder([
            "outer.yaml": Self.file(
                "outer", "- a: { for: { in: '${ [range(20)] }' }, do: [ { b: { \(Self.call("inner")) } } ] }"),
            "inner.yaml": Self.file("inner", "- a: { set: { done: true } }"),
        ])
        var runner = Runner.testing()
        runner.mostRecursiveRuns = 3
        #expect(try await runner.run(try folder.workflow()).value == ["done": true])
    }

    @Test func `cancelling reaches the workflows inside, also those that nobody waits for`() async throws {
        let folder = try Folder([
            "outer.yaml": Self.file(
                "outer", "- a: { \(Self.call("inner", run: ", await: false")) }\n- b: { \(Self.call("inner")) }"),
            "inner.yaml": Self.file("inner", "- a: { wait: PT1H }"),
        ])
        let (log, clock) = (EventLog(), ManualClock())
        let run = Runner.testing(clock: clock, recorders: [log.recorder]).run(try folder.workflow())
        while clock.waitCount < 2 { await pause() }
        run.cancel()
        await clock.allEnded()
        var cancelled: [String] = []
        while cancelled.count < 3 {
            await pause()
            cancelled = log.events.filter { $0.type == "io.serverlessworkflow.workflow.cancelled.v1" }
                .map(\.workflow.name)
        }
        #expect(cancelled.sorted() == ["inner", "inner", "outer"])
    }

    @Test func `with 'await: false' the output is the input, and the run ends when the other one has`() async throws {
        let folder = try Folder([
            "outer.yaml": Self.file(
                "outer", "- a: { \(Self.call("inner", run: ", await: false")) }\n- b: { set: { b: '${ . }' } }"),
            "inner.yaml": Self.file("inner", "- a: { wait: PT1H }\n- b: { set: { c: 1 } }"),
        ])
        let (log, clock) = (EventLog(), ManualClock())
        let run = Runner.testing(clock: clock, recorders: [log.recorder]).run(try folder.workflow(), input: ["y": 1])
        while clock.waitCount < 1 || !log.summary.contains("task.completed /do/1/b") { await pause() }
        #expect(run.isPending)
        clock.advance(by: .seconds(3_600))
        #expect(try await run.value == ["b": ["y": 1]])
        #expect(log.summary.filter { $0 == "workflow.completed" }.count == 2)
    }

    @Test func `a timeout around it interrupts it, and a mail on its way inside makes the outcome unknown`()
        async throws
    {
        let folder = try Folder([
            "outer.yaml": Self.file("outer", "- a: { \(Self.call("inner")), timeout: { after: PT5S } }"),
            "inner.yaml": Self.file("inner", "- m: { call: endless }"),
        ])
        for (effect, kind) in [(Idempotency.read, WorkflowError.Kind.timeout), (.once, .unknownOutcome)] {
            let clock = ManualClock()
            let began = Promise<Void>.pending()
            let endless = Promise<Value>.pending()
            var runner = Runner.testing(clock: clock) { catalog in
                catalog.register("endless", effect: effect) { _, _ in
                    began.resolver.fulfill(())
                    return endless.promise
                }
            }
            runner.recorders = []
            let run = runner.run(try folder.workflow())
            try await began.promise.value
            clock.advance(by: .seconds(5))
            let error = await #expect(throws: WorkflowError.self) { try await run.value }
            #expect(error?.is(kind) == true)
        }
    }

    @Test func `a plan plans the other workflow as well`() async throws {
        let folder = try Folder([
            "outer.yaml": Self.file("outer", "- a: { \(Self.call("inner")) }"),
            "inner.yaml": Self.file("inner", "- p: { call: photo }\n- s: { run: { shell: { command: ls } } }"),
        ])
        let plan = try await Runner.testing().plan(try folder.workflow()).value
        #expect(plan.steps.count == 2)
        #expect(plan.output == "‹s.stdout›")
    }
}
