import Promises
import TestSupport
import Testing
import Workflows

/// dsl-reference.md of the Serverless Workflow DSL 1.0.3, sentence by sentence: tasks and their flow.
///
/// Each test is named by the sentence that it proves. The tests of calls, processes, authentication and schedules are
/// elsewhere.
@Suite struct TaskReferenceTests {
    private func run(
        _ tasks: String, rest: String = "", input: Value = [:], log: EventLog? = nil,
        clock: any PromiseClock = SkippingClock()
    ) async throws -> Value {
        let runner = Runner.testing(clock: clock, recorders: log.map { [$0.recorder] } ?? [])
        return try await runner.run(Workflow(tasks: tasks, rest: rest), input: input).value
    }

    private func error(_ tasks: String, rest: String = "", input: Value = [:]) async throws -> WorkflowError {
        try #require(
            await #expect(throws: WorkflowError.self) { try await run(tasks, rest: rest, input: input) })
    }

    // MARK: Task

    @Test func `The task is considered skipped if not run, and the raw task input becomes the task's output.`()
        async throws
    {
        let log = EventLog()
        let output = try await run(
            "- a: { if: .n > 1, input: { from: '{ b: 1 }' }, set: { c: 1 }, output: { as: .c } }", input: ["n": 1],
            log: log)
        #expect(output == ["n": 1])
        #expect(log.summary.contains("task.skipped /do/0/a"))
    }

    @Test func `The expression is evaluated against the raw task input before any other expression of the task.`()
        async throws
    {
        let task = "- a: { if: .raw, input: { from: 'error(\"asked\")' }, set: { b: 1 } }"
        #expect(try await run(task, input: ["raw": false]) == ["raw": false])
        #expect(try await error(task, input: ["raw": true]).is(.expression))
    }

    @Test func `If a string, must be the name of a timeout defined in the workflow's reusable components.`() throws {
        let rest = "use: { timeouts: { soon: { after: PT1S } } }"
        _ = try Workflow(tasks: "- a: { wait: PT1S, timeout: soon }", rest: rest)
        let invalid = #expect(throws: InvalidWorkflow.self) {
            try Workflow(tasks: "- a: { wait: PT1S, timeout: sooner }", rest: rest)
        }
        #expect(invalid?.diagnostics.first?.message == "'use.timeouts' defines no 'sooner'")
    }

    @Test func `If not set, [then] defaults to continue.`() async throws {
        #expect(try await run("- a: { set: { n: 1 } }\n- b: { set: { n: '${ .n + 1 }' } }") == ["n": 2])
    }

    // MARK: Do, For, Fork

    @Test func `The tasks to perform sequentially: each subtask is completed before the next one begins.`() async throws
    {
        let log = EventLog()
        _ = try await run("- all: { do: [{ a: { wait: PT1S } }, { b: { wait: PT1S } }] }", log: log)
        #expect(
            log.summary.filter { $0.contains("/do/0/all/") } == [
                "task.started /do/0/all/do/0/a", "task.completed /do/0/all/do/0/a",
                "task.started /do/0/all/do/1/b", "task.completed /do/0/all/do/1/b",
            ])
    }

    @Test
    func `[for.each] The name of the variable used to store the current item being enumerated. Defaults to item.`()
        async throws
    {
        let body = "do: [{ b: { set: { seen: '${ (.seen // []) + [%] }' } } }] }"
        let named = body.replacing("%", with: "$pet")
        let unnamed = body.replacing("%", with: "$item")
        #expect(try await run("- a: { for: { each: pet, in: '[1, 2]' }, \(named)") == ["seen": [1, 2]])
        #expect(try await run("- a: { for: { in: '[1, 2]' }, \(unnamed)") == ["seen": [1, 2]])
    }

    @Test func `[for.at] The name of the variable used to store the index of the current item. Defaults to index.`()
        async throws
    {
        let body = "do: [{ b: { set: { seen: '${ (.seen // []) + [%] }' } } }] }"
        let named = body.replacing("%", with: "$i")
        let unnamed = body.replacing("%", with: "$index")
        #expect(try await run("- a: { for: { at: i, in: '[7, 8]' }, \(named)") == ["seen": [0, 1]])
        #expect(try await run("- a: { for: { in: '[7, 8]' }, \(unnamed)") == ["seen": [0, 1]])
    }

    @Test func `[while] represents the condition, if any, that must be met for the iteration to continue.`()
        async throws
    {
        let output = try await run(
            "- a: { for: { in: '[1, 2, 3]' }, while: $item < 3, do: [{ b: { set: { n: '${ $item }' } } }] }")
        #expect(output == ["n": 2])
    }

    @Test func `[compete false] the task returns an array that includes the outputs from each branch, in their order.`()
        async throws
    {
        let output = try await run("- a: { fork: { branches: [{ b: { set: { n: 1 } } }, { c: { set: { n: 2 } } }] } }")
        #expect(output == [["n": 1], ["n": 2]])
    }

    @Test func `[compete true] the task returns only the output of the winning branch.`() async throws {
        let output = try await run(
            """
            - a: { fork: { compete: true, branches: [{ b: { set: { n: 1 } } }, { c: { set: { n: 1 } } }] } }
            """)
        #expect(output == ["n": 1])
    }

    // MARK: Raise, Set, Switch, Try, Wait

    @Test func `If a string, must be the name of an error defined in the workflow's reusable components.`() async throws
    {
        let rest = "use: { errors: { broken: { type: 'https://example.com/broken', status: 418 } } }"
        #expect(try await error("- a: { raise: { error: broken } }", rest: rest).status == 418)
        #expect(throws: InvalidWorkflow.self) { try Workflow(tasks: "- a: { raise: { error: other } }", rest: rest) }
    }

    @Test func `A name-value mapping of the data to set.`() async throws {
        let output = try await run(
            "- a: { set: { shape: circle, size: '${ .configuration.size }' } }", input: ["configuration": ["size": 3]])
        #expect(output == ["shape": "circle", "size": 3])
    }

    @Test func `If not set, the case will be matched by default if no other case match.`() async throws {
        let tasks = """
            - a: { switch: [{ other: { then: c } }, { one: { when: .n == 1, then: b } }] }
            - b: { set: { at: b }, then: end }
            - c: { set: { at: c } }
            """
        #expect(try await run(tasks, input: ["n": 1]) == ["at": "b"])
        #expect(try await run(tasks, input: ["n": 2]) == ["at": "c"])
    }

    @Test func `There can be only one default case, all others MUST set a condition.`() throws {
        let invalid = #expect(throws: InvalidWorkflow.self) {
            try Workflow(tasks: "- a: { switch: [{ one: { then: end } }, { two: { then: end } }] }")
        }
        #expect(invalid?.diagnostics.map(\.id) == ["ambiguous-default"])
    }

    @Test func `[catch.as] The name of the runtime expression variable to save the error as. Defaults to error.`()
        async throws
    {
        let raise = "- r: { raise: { error: { type: 'https://example.com', status: 418 } } }"
        let body = "do: [{ h: { set: { status: '${ %.status }' } } }]"
        for (name, variable) in [("", "$error"), ("as: problem, ", "$problem")] {
            let output = try await run(
                """
                - a:
                    try: [{ \(raise.dropFirst(2)) }]
                    catch: { \(name)\(body.replacing("%", with: variable)) }
                """)
            #expect(output == ["status": 418])
        }
    }

    @Test func `[wait] If a string, must be a valid ISO 8601 duration expression.`() async throws {
        let clock = SkippingClock()
        _ = try await run("- a: { wait: PT1M30S }\n- b: { wait: { minutes: 1, seconds: 30 } }", clock: clock)
        #expect(clock.waits == [.seconds(90), .seconds(90)])
        #expect(throws: InvalidWorkflow.self) { try Workflow(tasks: "- a: { wait: 90 seconds }") }
    }

    // MARK: Flow directive

    @Test func `[continue] may conclude the execution of a branch if there are no task defined after it.`() async throws
    {
        #expect(try await run("- a: { do: [{ b: { set: { n: 1 }, then: continue } }] }") == ["n": 1])
    }

    @Test func `[exit] Halts the current branch's execution, potentially terminating the entire workflow.`()
        async throws
    {
        #expect(try await run("- a: { set: { n: 1 }, then: exit }\n- b: { set: { n: 2 } }") == ["n": 1])
        let nested = """
            - a: { do: [{ b: { set: { n: 1 }, then: exit } }, { c: { set: { n: 2 } } }] }
            - d: { set: { n: '${ .n + 10 }' } }
            """
        #expect(try await run(nested) == ["n": 11])
    }

    @Test func `[end] Provides a graceful conclusion to the workflow execution.`() async throws {
        let log = EventLog()
        let nested = "- a: { do: [{ b: { set: { n: 1 }, then: end } }] }\n- c: { set: { n: 2 } }"
        #expect(try await run(nested, log: log) == ["n": 1])
        #expect(log.summary.last == "workflow.completed")
    }

    @Test func `[string] Continues the workflow at the task with the specified name.`() async throws {
        let tasks = "- a: { set: { n: 1 }, then: c }\n- b: { set: { n: 2 } }\n- c: { set: { n: '${ .n + 2 }' } }"
        #expect(try await run(tasks) == ["n": 3])
    }

    @Test func `Flow directives cannot target tasks at a different depth.`() throws {
        let workflow = try Workflow(
            tasks: "- a: { do: [{ b: { set: { n: 1 }, then: c } }] }\n- c: { set: { n: 2 } }")
        #expect(workflow.validate().map(\.id) == ["unknown-target"])
    }
}
