import Promises
import TestSupport
import Testing
import Workflows

/// dsl-reference.md of the Serverless Workflow DSL 1.0.3: the data of each lifecycle event.
@Suite struct EventReferenceTests {
    private func events(of tasks: String, fails: Bool = false) async throws -> [Value] {
        let log = EventLog()
        let run = try Runner.testing(recorders: [log.recorder]).run(Workflow(tasks: tasks))
        if fails { await #expect(throws: WorkflowError.self) { try await run.value } } else { _ = try await run.value }
        return log.events.map(\.cloudEvent)
    }

    private func data(_ type: String, in events: [Value]) throws -> Value {
        try #require(events.first { $0["type"]?.string == "io.serverlessworkflow.\(type).v1" }?["data"])
    }

    private func isDate(_ value: Value?) -> Bool { value?.string?.hasSuffix("Z") == true }

    @Test func `[workflow started] name, definition, startedAt`() async throws {
        let data = try data("workflow.started", in: await events(of: "- a: { set: { n: 1 } }"))
        let name = try #require(data["name"]?.string)
        #expect(name.hasPrefix("test-"))
        #expect(name.hasSuffix(".tests"))
        #expect(data["definition"] == ["name": "test", "namespace": "tests", "version": "1.0.0"])
        #expect(isDate(data["startedAt"]))
    }

    @Test func `[workflow completed] name, completedAt, output, outputUri`() async throws {
        let events = try await events(of: "- a: { set: { n: 1 } }")
        let data = try data("workflow.completed", in: events)
        #expect(data["name"] != nil)
        #expect(isDate(data["completedAt"]))
        #expect(data["output"] == ["n": 1])
        // The reference leads to the output in the event.
        for event in events where event["type"]?.string?.hasSuffix(".completed.v1") == true {
            let reference = try #require(event["data"]?["outputUri"]?.string)
            let names = reference.split(separator: "/")
            #expect(names.first == "#" && event[JSONPointer(names.dropFirst().map(String.init))] == ["n": 1])
        }
    }

    @Test func `[workflow faulted] name, faultedAt, error`() async throws {
        let tasks = "- a: { raise: { error: { type: 'https://example.com', status: 418 } } }"
        let data = try data("workflow.faulted", in: await events(of: tasks, fails: true))
        #expect(isDate(data["faultedAt"]))
        #expect(data["error"]?["status"] == 418)
    }

    @Test func `[workflow cancelled] name, cancelledAt`() async throws {
        let log = EventLog()
        let clock = ManualClock()
        let run = try Runner.testing(clock: clock, recorders: [log.recorder]).run(
            Workflow(tasks: "- a: { wait: PT1S }"))
        while clock.waitCount == 0 { await pause() }
        run.cancel()
        await #expect(throws: (any Error).self) { try await run.value }
        let data = try data("workflow.cancelled", in: log.events.map(\.cloudEvent))
        #expect(isDate(data["cancelledAt"]))
        #expect(try isDate(self.data("task.cancelled", in: log.events.map(\.cloudEvent))["cancelledAt"]))
    }

    @Test func `[workflow correlation started and completed] name, startedAt, completedAt, correlationKeys`()
        async throws
    {
        let events = try await events(
            of: """
                - say: { emit: { event: { with: { source: https://contoso.com/a, type: t, data: { pet: x1 } } } } }
                - hear: { listen: { to: { one: { with: { type: t }, correlate: { petId: { from: .data.pet } } } } } }
                """)
        let started = try data("workflow.correlation-started", in: events)
        #expect(started["name"] != nil)
        #expect(isDate(started["startedAt"]))
        let completed = try data("workflow.correlation-completed", in: events)
        #expect(completed["correlationKeys"] == ["petId": "x1"])
        #expect(isDate(completed["completedAt"]))
    }

    @Test(arguments: [("created", "createdAt"), ("started", "startedAt"), ("completed", "completedAt")])
    func `[task created, started, completed] workflow, task and the date`(type: String, date: String) async throws {
        let data = try data("task.\(type)", in: await events(of: "- a: { set: { n: 1 } }"))
        #expect(data["workflow"]?.string?.hasSuffix(".tests") == true)
        #expect(data["task"] == "/do/0/a")
        #expect(isDate(data[date]))
        if type == "completed" { #expect(data["output"] == ["n": 1]) }
    }

    @Test func `[task retried, faulted] workflow, task, retriedAt, faultedAt, error`() async throws {
        let events = try await events(
            of: """
                - a:
                    try: [{ b: { raise: { error: { type: "https://example.com", status: 503 } } } }]
                    catch: { retry: { limit: { attempt: { count: 1 } } } }
                """, fails: true)
        let retried = try data("task.retried", in: events)
        #expect(retried["task"] == "/do/0/a")
        #expect(isDate(retried["retriedAt"]))
        let faulted = try data("task.faulted", in: events)
        #expect(faulted["task"] == "/do/0/a/try/0/b")
        #expect(faulted["error"]?["status"] == 503)
        #expect(isDate(faulted["faultedAt"]))
    }
}
