import Promises
import Testing
import TestSupport
import Workflows

/// `try` and the errors of its tasks.
@Suite struct TryTests {
    /// Raises 503 for the first `failures` calls, then returns the number of calls.
    private static func flaky(_ calls: Locked<Int>) -> (inout Catalog) -> Void {
        { catalog in
            catalog.register("flaky") { input, _ in
                let count = calls.withLock { count in
                    count += 1
                    return count
                }
                guard count > input["failures"]?.integer ?? 0 else {
                    throw WorkflowError(.communication, status: 503, detail: "call \(count) failed")
                }
                return .value(["calls": .integer(count)])
            }
        }
    }

    private func run(
        _ tasks: String, rest: String = "", clock: SkippingClock = SkippingClock(), calls: Locked<Int> = Locked(0),
        log: EventLog = EventLog()
    ) async throws -> Value {
        let runner = Runner.testing(clock: clock, recorders: [log.recorder], register: Self.flaky(calls))
        return try await runner.run(Workflow(tasks: tasks, rest: rest)).value
    }

    private static let raising =
        "- fail: { raise: { error: { type: 'https://example.com/odd', status: 418, title: Odd } } }"

    @Test func `an error that nothing catches ends the run and points at its task`() async throws {
        let error = await #expect(throws: WorkflowError.self) { try await run(Self.raising) }
        #expect(
            error?.members == [
                "type": "https://example.com/odd", "status": 418, "title": "Odd", "instance": "/do/0/fail",
            ])
    }

    @Test func `an error that names where it happened keeps that`() async throws {
        let error = await #expect(throws: WorkflowError.self) {
            try await run(
                "- fail: { raise: { error: { type: 'https://example.com/odd', status: 418, instance: /order/7 } } }")
        }
        #expect(error?.instance == "/order/7")
    }

    @Test func `catch-do handles the error, which it can read`() async throws {
        let output = try await run(
            """
            - attempt:
                try: [ { fail: { raise: { error: { type: 'https://example.com/odd', status: 418 } } } } ]
                catch:
                  as: problem
                  do: [ { handle: { set: { was: '${ $problem.status }', at: '${ $problem.instance }' } } } ]
            """)
        #expect(output == ["was": 418, "at": "/do/0/attempt/try/0/fail"])
    }

    @Test func `an error that is caught and not handled is done with`() async throws {
        let output = try await run(
            """
            - first: { set: { a: 1 } }
            - attempt:
                try: [ { fail: { raise: { error: { type: 'https://example.com/odd', status: 418 } } } } ]
                catch: {}
            """)
        #expect(output == ["a": 1])
    }

    @Test(arguments: [
        ("errors: { with: { status: 418 } }", true), ("errors: { with: { status: 500 } }", false),
        ("errors: { with: { type: 'https://example.com/odd', status: 418 } }", true),
        ("errors: { with: { title: Even } }", false), ("errors: { with: { details: because } }", true),
        ("errors: { with: { instance: /do/0/attempt/try/0/fail } }", true),
        ("when: '$error.status == 418'", true), ("when: '$error.status == 1'", false),
        ("exceptWhen: '${ $error.status == 418 }'", false), ("exceptWhen: 'false'", true),
        ("when: '${ .status == 418 }'", true), ("when: .title == \"Even\"", false),
        ("exceptWhen: '.detail | startswith(\"bec\")'", false), ("exceptWhen: '${ .status as $s | $s < 400 }'", true),
        ("as: odd, when: '.instance == $odd.instance and $odd.status == .status'", true),
        ("errors: { with: { status: 418 } }, exceptWhen: '.type | endswith(\"odd\")'", false),
    ])
    func `an error is caught when it is like the filter and the conditions hold`(catch: String, isCaught: Bool)
        async throws
    {
        let tasks = """
            - attempt:
                try:
                  - fail: { raise: { error: { type: 'https://example.com/odd', status: 418, title: Odd, detail: because } } }
                catch: { \(`catch`), do: [ { handle: { set: { caught: true } } } ] }
            """
        if isCaught {
            #expect(try await run(tasks) == ["caught": true])
        } else {
            await #expect(throws: WorkflowError.self) { try await run(tasks) }
        }
    }

    @Test(arguments: [
        ("constant", [2.0, 2, 2]), ("linear", [2, 4, 6]), ("exponential", [2, 4, 8]),
    ])
    func `retries wait as their backoff says`(backoff: String, waits: [Double]) async throws {
        let clock = SkippingClock()
        let log = EventLog()
        let output = try await run(
            """
            - attempt:
                try: [ { call: { call: flaky, with: { failures: 3 } } } ]
                catch: { retry: { delay: PT2S, backoff: { \(backoff): {} }, limit: { attempt: { count: 3 } } } }
            """, clock: clock, log: log)
        #expect(output == ["calls": 4])
        #expect(clock.waits == waits.map { .seconds($0) })
        #expect(log.summary.filter { $0 == "task.retried /do/0/attempt" }.count == 3)
    }

    @Test(arguments: [
        ("when: '.status == 503'", 4), ("when: '.status == 1'", 1), ("exceptWhen: '${ .status == 503 }'", 1),
        ("exceptWhen: .status == 1", 4), ("when: '$error.status == 503'", 4),
    ])
    func `the conditions of retries have the error as their input, whatever the input of the try has`(
        condition: String, calls: Int
    ) async throws {
        let tasks = """
            - data: { set: { status: 1 } }
            - attempt:
                try: [ { call: { call: flaky, with: { failures: 3, status: 503 } } } ]
                catch: { retry: { \(condition), limit: { attempt: { count: 3 } } }, do: [ { no: { set: { calls: 1 } } } ] }
            """
        #expect(try await run(tasks, clock: SkippingClock()) == ["calls": .integer(calls)])
    }

    @Test func `retries that are used up leave the error, or catch-do with it`() async throws {
        let calls = Locked(0)
        let attempt = """
            - attempt:
                try: [ { call: { call: flaky, with: { failures: 9 } } } ]
                catch: { retry: { limit: { attempt: { count: 2 } } }%REST% }
            """
        let error = await #expect(throws: WorkflowError.self) {
            try await run(attempt.replacing("%REST%", with: ""), calls: calls)
        }
        #expect(error?.status == 503)
        #expect(calls.withLock { $0 } == 3)
        let handled = attempt.replacing("%REST%", with: ", do: [ { handle: { set: { gaveUp: true } } } ]")
        #expect(try await run(handled) == ["gaveUp": true])
    }

    @Test func `a policy from use-retries, its jitter, its conditions and its total duration count`() async throws {
        let clock = SkippingClock()
        let calls = Locked(0)
        let tasks = """
            - attempt:
                try: [ { call: { call: flaky, with: { failures: 9 } } } ]
                catch: { retry: patiently }
            """
        let policy = "{ delay: PT10S, jitter: { from: PT1S, to: PT3S }, limit: { duration: PT30S } }"
        await #expect(throws: WorkflowError.self) {
            try await run(tasks, rest: "use: { retries: { patiently: \(policy) } }", clock: clock, calls: calls)
        }
        #expect(clock.waits == [.seconds(12), .seconds(12)])
        let never = "use: { retries: { patiently: { when: '$error.status != 503' } } }"
        let second = Locked(0)
        await #expect(throws: WorkflowError.self) { try await run(tasks, rest: never, calls: second) }
        #expect(second.withLock { $0 } == 1)
    }

    @Test func `a total duration lasts to its very end`() async throws {
        let clock = SkippingClock()
        let tasks = """
            - attempt:
                try: [ { call: { call: flaky, with: { failures: 9 } } } ]
                catch: { retry: { delay: PT10S, limit: { duration: PT30S } } }
            """
        await #expect(throws: WorkflowError.self) { try await run(tasks, clock: clock) }
        #expect(clock.waits == [.seconds(10), .seconds(10), .seconds(10)])
    }

    @Test func `an unknown outcome is not tried again unless the file names it`() async throws {
        let calls = Locked(0)
        let runner = Runner.testing { catalog in
            catalog.register("mail", effect: .once) { _, _ in
                calls.withLock { $0 += 1 }
                throw WorkflowError(.unknownOutcome, detail: "the answer was lost")
            }
        }
        let tasks = """
            - attempt:
                try: [ { send: { call: mail } } ]
                catch: { %FILTER%retry: { limit: { attempt: { count: 2 } } } }
            """
        await #expect(throws: WorkflowError.self) {
            try await runner.run(Workflow(tasks: tasks.replacing("%FILTER%", with: ""))).value
        }
        #expect(calls.withLock { $0 } == 1)
        let named = "errors: { with: { type: 'urn:graphflow:error:unknown-outcome' } }, "
        await #expect(throws: WorkflowError.self) {
            try await runner.run(Workflow(tasks: tasks.replacing("%FILTER%", with: named))).value
        }
        #expect(calls.withLock { $0 } == 4)
    }

    @Test func `an error from use-errors is raised with its expressions evaluated`() async throws {
        let error = await #expect(throws: WorkflowError.self) {
            try await run(
                "- fail: { raise: { error: odd } }",
                rest:
                    "use: { errors: { odd: { type: 'https://example.com/odd', status: 400, title: '${ \"in \" + $task.name }' } } }"
            )
        }
        #expect(error?.title == "in fail")
    }

    @Test func `the longest delay grows without an overflow`() async throws {
        for backoff in ["linear", "exponential"] {
            let workflow = try Workflow(
                tasks: """
                    - attempt:
                        try: [ { fail: { raise: { error: { type: 'https://contoso.com/errors/test', status: 500 } } } } ]
                        catch: { retry: { delay: P9999Y, backoff: { \(backoff): {} }, limit: { attempt: { count: 40 } } } }
                    """)
            let error = await #expect(throws: WorkflowError.self) { try await Runner.testing().run(workflow).value }
            #expect(error?.type == "https://contoso.com/errors/test")
        }
    }

    @Test func `a plan does not try again what fails in it`() async throws {
        let workflow = try Workflow(
            tasks: """
                - attempt:
                    try: [ { fail: { raise: { error: { type: 'https://contoso.com/errors/test', status: 500 } } } } ]
                    catch: { retry: { delay: PT1S }, do: [ { handle: { set: { handled: true } } } ] }
                """)
        #expect(try await Runner.testing().plan(workflow).value.output == ["handled": true])
    }
}
