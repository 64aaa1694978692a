import Foundation
import Promises
import TestSupport
import Testing
import Workflows

/// The sample `onboard.yaml` under faults: nothing is there twice, whatever goes wrong with a request.
struct OnboardTests {
    private static let input: Value = ["user": "lynner@contoso.com", "starts": "2026-12-01"]

    /// What there is once after an exact run: its licence, membership, two folders, event and mail.
    private static let exact = [1, 1, 1, 1, 1, 1]

    private static let faults: [FaultyTransport.Fault] = [
        .refused, .resetBeforeBody, .resetAfterBody, .truncated, .answer(HTTPResponse(status: 429)),
        .answer(HTTPResponse(status: 500)), .answer(HTTPResponse(status: 503)),
        .answerAfterwards(HTTPResponse(status: 504)), .silence(.seconds(1_000_000)),
    ]

    /// Runs the sample, perhaps with a fault of one request; returns how often requests were sent.
    private func run(
        _ sandbox: Sandbox, _ clock: SkippingClock, _ fault: FaultyTransport.Fault? = nil, at place: Int = -1
    ) async throws -> (count: Int, error: (any Error)?) {
        let count = Locked(0)
        let transport = FaultyTransport(sandbox.transport, clock: clock) { _, _ in
            count.withLock { count in
                count += 1
                return count == place ? fault : nil
            }
        }
        let graph = GraphClient(
            credential: .fixed(AccessToken("t")), baseURL: Sandbox.baseURL, transport: transport, clock: clock,
            environment: [:])
        let workflow = try Workflow(contentsOf: SampleWorkflow.folder.appending(path: "onboard.yaml"))
        do {
            _ = try await Runner(graph: graph, clock: clock).run(workflow, input: Self.input).value
            return (count.withLock { $0 }, nil)
        } catch {
            return (count.withLock { $0 }, error)
        }
    }

    /// How many there are of each thing that the run makes.
    private func effects(_ sandbox: Sandbox) async throws -> [Int] {
        let fixture = FunctionFixture(sandbox)
        func count(_ path: String, _ isCounted: (Value) -> Bool = { _ in true }) async throws -> Int {
            do {
                return (try await fixture.call("graph", ["path": .string(path), "all": true]).array ?? []).count(
                    where: isCounted)
            } catch let error as any ProblemConvertible where error.problem["status"] == 404 {
                return 0
            }
        }
        return [
            try await count("/users/lynner@contoso.com/licenseDetails"),
            try await count("/users/lynner@contoso.com/memberOf"),
            try await count("/me/drive/root/children") { $0["name"]?.string?.hasPrefix("People") ?? false },
            try await count("/me/drive/root:/People:/children"), try await count("/me/events"),
            sandbox.outbox.count,
        ]
    }

    private func sandbox(_ clock: SkippingClock) -> Sandbox {
        Sandbox(now: { Date(timeIntervalSince1970: 1_800_000_000 + clock.now.seconds) })
    }

    @Test(arguments: faults.indices)
    func `whatever goes wrong with a request, each thing is there once or not at all`(fault: Int) async throws {
        let clock = SkippingClock()
        let first = sandbox(clock)
        let whole = try await run(first, clock)
        #expect(try await effects(first) == Self.exact)
        for place in 1...whole.count {
            let clock = SkippingClock()
            let sandbox = sandbox(clock)
            let error = try await run(sandbox, clock, Self.faults[fault], at: place).error
            let effects = try await effects(sandbox)
            #expect(effects.allSatisfy { $0 <= 1 }, "\(place): \(effects)")
            #expect(error != nil || effects == Self.exact, "\(place): \(effects)")
        }
    }

    @Test func `an approved plan allows what its run sends, whatever the service answers`() async throws {
        let sandbox = Sandbox()
        let graph = GraphClient(
            credential: .fixed(AccessToken("t")), baseURL: Sandbox.baseURL, transport: sandbox.transport,
            clock: ImpatientClock(), environment: [:])
        let workflow = try Workflow(
            tasks: """
                - who: { call: me, export: { as: '${ . }' } }
                - make: { call: createFolder, with: { name: '${ $context.displayName }' } }
                - see: { set: '${ .folder.childCount }' }
                - invite:
                    call: createEvent
                    with:
                      subject: '${ $context.displayName }'
                      start: '${ "2026-12-01T12:00" + $context.displayName[99:] }'
                      end: 2026-12-01T13:00
                - find: { call: groups, with: { name: Sales and Marketing } }
                - join:
                    call: addToGroup
                    with: { group: '${ .[0].id }', user: '${ $context.surname + "#EXT#@contoso.com" }' }
                """)
        let runner = Runner(graph: graph, clock: ImpatientClock())
        let approved = ApprovedPlan(try await runner.plan(workflow).value)
        do {
            _ = try await runner.run(workflow, as: approved).value
            Issue.record("nobody has that address")
        } catch {
            // The request of the last task is allowed, and finds nobody.
            #expect((error as? WorkflowError)?.status == 404, "\(error)")
        }
        #expect(sandbox.requests.last?.status == 404)
        #expect(
            try await FunctionFixture(sandbox).call("graph", ["path": "/me/events", "all": true]).array?.count == 1)
    }

    @Test func `a second run finds what the first one made`() async throws {
        let clock = SkippingClock()
        let sandbox = sandbox(clock)
        for _ in 1...2 { #expect(try await run(sandbox, clock).error == nil) }
        // An event and a mail belong to their run.
        #expect(try await effects(sandbox) == [1, 1, 1, 1, 2, 2])
    }
}
