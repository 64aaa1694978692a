import Promises
import TestSupport
import Testing
import Workflows

/// The events that a run emits.
@Suite struct EventTests {
    private func events(of tasks: String, sandbox: Sandbox = Sandbox()) async throws -> EventLog {
        let log = EventLog()
        let runner = Runner.testing(sandbox: sandbox, recorders: [log.recorder])
        _ = try? await runner.run(Workflow(tasks: tasks)).value
        return log
    }

    @Test func `events tell a run from its start to its end, in order`() async throws {
        let log = try await events(
            of: """
                - attempt:
                    try: [ { photo: { call: photo } } ]
                    catch: { errors: { with: { status: 404 } }, do: [ { picture: { call: defaultPhoto } } ] }
                - never: { if: 'false', set: { a: 1 } }
                """, sandbox: Sandbox(profile: .noPhoto))
        let photo = "/do/0/attempt/try/0/photo"
        let picture = "/do/0/attempt/catch/do/0/picture"
        #expect(
            log.summary == [
                "workflow.started", "task.started /do/0/attempt", "task.started \(photo)", "call.started \(photo)",
                "call.ended \(photo)", "task.faulted \(photo)", "task.decided /do/0/attempt", "task.started \(picture)",
                "call.started \(picture)",
                "call.ended \(picture)", "task.completed \(picture)", "task.completed /do/0/attempt",
                "task.skipped /do/1/never", "workflow.completed",
            ])
        #expect(log.events.map(\.number) == Array(1...log.events.count))
        #expect(Set(log.events.map(\.run)).count == 1)
    }

    @Test func `every retry of a request is an event of its task`() async throws {
        let log = try await events(of: "- who: { call: me }", sandbox: Sandbox(profile: .throttled))
        #expect(log.summary.contains("request.retried /do/0/who"))
        let retry = try #require(log.events.first { $0.type == "graphflow.request.retried.v1" })
        #expect(retry.cloudEvent["data"]?["attempt"] == 2)
        #expect(retry.cloudEvent["data"]?["delay"]?.double ?? 0 >= 1)
    }

    @Test func `an event is a CloudEvent with the standard's type and data`() async throws {
        let log = try await events(of: "- fail: { raise: { error: { type: 'https://example.com/odd', status: 418 } } }")
        let fault = try #require(log.events.last).cloudEvent
        #expect(fault["specversion"] == "1.0")
        #expect(fault["type"] == "io.serverlessworkflow.workflow.faulted.v1")
        #expect(fault["data"]?["error"]?["status"] == 418)
        #expect(fault["data"]?["name"]?.string?.hasSuffix(".tests") == true)
        let created = try #require(log.events.first { $0.task != nil }).cloudEvent
        #expect(created["type"] == "io.serverlessworkflow.task.created.v1")
        #expect(created["data"]?["createdAt"]?.string?.hasSuffix("Z") == true)
        let task = try #require(log.events.first { $0.type.hasSuffix("task.started.v1") }).cloudEvent
        #expect(task["data"]?["task"] == "/do/0/fail")
        #expect(task["data"]?["startedAt"]?.string?.hasSuffix("Z") == true)
    }

    @Test func `no event of a run holds its token`() async throws {
        let log = EventLog()
        let sandbox = Sandbox(profile: .flaky)
        let graph = GraphClient(
            credential: .fixed(AccessToken("very-secret")), baseURL: Sandbox.baseURL, transport: sandbox.transport,
            clock: SkippingClock())
        let runner = Runner(graph: graph, clock: SkippingClock(), recorders: [log.recorder])
        _ = try await runner.run(Workflow(tasks: "- who: { call: me }\n- photo: { call: photo }")).value
        #expect(log.events.contains { $0.type == "graphflow.request.retried.v1" })
        #expect(
            !log.events.contains { $0.cloudEvent.json().contains("very-secret") || "\($0)".contains("very-secret") })
    }
}
