import Foundation
import Promises
import TestSupport
import Testing
import Workflows

/// `createEvent`: one event for each run and task.
struct CreateEventTests {
    private static let task = """
        - invite:
            call: createEvent
            with: { subject: Lunch, start: 2026-12-01T12:00, end: 2026-12-01T13:00, timeZone: Europe/Paris, attendees: a@x.com }
        """

    private func events(_ sandbox: Sandbox) async throws -> [Value] {
        try await FunctionFixture(sandbox).call("graph", ["path": "/me/events", "all": true]).array ?? []
    }

    private func client(_ transport: any HTTPTransport, _ clock: SkippingClock = SkippingClock()) -> GraphClient {
        GraphClient(
            credential: .fixed(AccessToken("t")), baseURL: Sandbox.baseURL, transport: transport, clock: clock,
            environment: [:])
    }

    @Test func `an event has what the file says`() async throws {
        let sandbox = Sandbox()
        let workflow = try Workflow(tasks: Self.task)
        let output = try await Runner(graph: client(sandbox.transport)).run(workflow).value
        let event = try #require(try await events(sandbox).first)
        #expect(output["id"] == event["id"])
        #expect(event["start"] == ["dateTime": "2026-12-01T12:00:00", "timeZone": "Europe/Paris"])
        #expect(event["attendees"]?[0]?["emailAddress"]?["address"] == "a@x.com")
        #expect(event["transactionId"]?.string?.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
    }

    @Test func `a request whose answer was lost is sent again, and there is one event`() async throws {
        let sandbox = Sandbox()
        let posts = Locked(0)
        let clock = SkippingClock()
        let losing = FaultyTransport(sandbox.transport, clock: clock) { request, _ in
            guard request.method == "POST" else { return nil }
            return posts.withLock { posts in
                posts += 1
                return posts == 1 ? .resetAfterBody : nil
            }
        }
        _ = try await Runner(graph: client(losing, clock), clock: clock).run(try Workflow(tasks: Self.task)).value
        #expect(posts.withLock { $0 } == 2)
        #expect(try await events(sandbox).count == 1)
    }

    @Test func `every run, task and round has an event of its own`() async throws {
        let sandbox = Sandbox()
        let workflow = try Workflow(
            tasks: """
                - rounds:
                    for: { each: n, in: '${ [1, 2] }' }
                    do:
                      - one: { call: createEvent, with: { subject: a, start: 2026-12-01T12:00, end: 2026-12-01T13:00 } }
                      - two: { call: createEvent, with: { subject: a, start: 2026-12-01T12:00, end: 2026-12-01T13:00 } }
                """)
        for _ in 1...2 { _ = try await Runner(graph: client(sandbox.transport)).run(workflow).value }
        #expect(try await events(sandbox).count == 8)
    }

    @Test func `what a try sends again after an error is the same event`() async throws {
        let sandbox = Sandbox(faults: [try Sandbox.Fault(parsing: "POST /me/events 400")])
        let workflow = try Workflow(
            tasks: """
                - safely:
                    try:
                      - invite: { call: createEvent, with: { subject: a, start: 2026-12-01T12:00, end: 2026-12-01T13:00 } }
                      - fail: { call: graph, with: { method: POST, path: /me/events, body: {} } }
                    catch: { retry: { limit: { attempt: { count: 3 } } } }
                """)
        let clock = SkippingClock()
        _ = try? await Runner(graph: client(sandbox.transport, clock), clock: clock).run(workflow).value
        #expect(try await events(sandbox).count == 1)
    }
}
