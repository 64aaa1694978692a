import Promises
import Testing
import TestSupport
import Workflows

/// Computations that would take minutes, and end with the tasks that need them.
@Suite(.timeLimit(.minutes(60))) struct ComputationTests {
    /// A hundred expressions that each need most of their budget.
    private static let endless =
        "{ " + (0..<100).map { "a\($0): '${ last(range(9000000)) }'" }.joined(separator: ", ") + " }"
    private static let timeout = "{ with: { type: https://serverlessworkflow.io/spec/1.0.0/errors/timeout } }"

    private func run(_ tasks: String, rest: String = "") async throws -> Value {
        try await Runner.testing(clock: .patient).run(try Workflow(tasks: tasks, rest: rest)).value
    }

    private func output(ofLimited task: String) async throws -> Value {
        // Real time: the limit passes on purpose.
        try await run(
            """
            - data: { set: '${ [range(300000)] }' }
            - guard:
                try:
                  - slow:
                      \(task)
                      timeout: { after: { milliseconds: 200 } }
                catch: { errors: \(Self.timeout), do: [ { over: { set: { caught: true } } } ] }
            """)
    }

    @Test func `a timeout ends an expression, and can be caught`() async throws {
        #expect(try await output(ofLimited: "set: \(Self.endless)") == ["caught": true])
    }

    @Test func `a timeout ends the search of a regular expression`() async throws {
        // No more than the budget of a single expression without back references.
        let search = #"("a" * 40 + "!") as $t | [range(1000)] | map($t | test("^(a+)+\\1$"))"#
        let tasks = (0..<100).map { "a\($0): '${ \(search) }'" }.joined(separator: ", ")
        #expect(try await output(ofLimited: "set: { \(tasks) }") == ["caught": true])
    }

    @Test func `a timeout ends the validation of many data by many schemas`() async throws {
        let schema = #"{ items: { allOf: [ { type: number }, { type: integer }, { minimum: 0 } ] } }"#
        let task =
            "do: [ "
            + (0..<100).map { "{ s\($0): { input: { schema: { document: \(schema) } }, set: '${ . }' } }" }
            .joined(separator: ", ") + " ]"
        #expect(try await output(ofLimited: task) == ["caught": true])
    }

    @Test func `the timeout of the workflow ends an expression of an inner task`() async throws {
        // Real time: the limit passes on purpose.
        let error = await #expect(throws: WorkflowError.self) {
            try await run(
                "- guard: { try: [ { slow: { set: \(Self.endless) } } ], catch: { do: [] } }",
                rest: "timeout: { after: { milliseconds: 200 } }")
        }
        #expect(error?.status == 408)
        #expect(error?.instance == "")
    }

    @Test func `a timeout ends tasks that never wait`() async throws {
        let loop = "for: { in: '${ . }' }\n          do: [ { s: { set: '${ $input }' } } ]"
        #expect(try await output(ofLimited: loop) == ["caught": true])
    }

    @Test func `a timeout ends what the branches of a fork compute`() async throws {
        let branches = ["a", "b"].map { "{ \($0): { set: \(Self.endless) } }" }.joined(separator: ", ")
        #expect(
            try await output(ofLimited: "fork: { compete: true, branches: [ \(branches) ] }") == ["caught": true])
    }

    @Test func `cancelling a run ends what it computes`() async throws {
        let log = EventLog()
        let runner = Runner.testing(clock: .patient, recorders: [log.recorder])
        let tasks = "- first: { wait: { milliseconds: 1 } }\n- slow: { set: \(Self.endless) }"
        let run = runner.run(try Workflow(tasks: tasks))
        let isAtWork = {
            log.events.contains { event in
                if case .taskStarted(JSONPointer(["do", "1", "slow"]), _) = event.kind { true } else { false }
            }
        }
        while !isAtWork() { await pause() }
        run.cancel()
        await #expect(throws: PromiseError.self) { try await run.value }
        // The computation would hold up the next run.
        #expect(try await self.run("- next: { wait: { milliseconds: 1 } }\n- set: { set: { a: 1 } }") == ["a": 1])
    }
}
