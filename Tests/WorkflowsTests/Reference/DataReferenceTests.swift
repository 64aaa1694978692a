import Promises
import TestSupport
import Testing
import Workflows

/// dsl-reference.md of the Serverless Workflow DSL 1.0.3, sentence by sentence: data, errors, retries, durations.
@Suite struct DataReferenceTests {
    private func run(
        _ tasks: String, rest: String = "", input: Value = [:], clock: any PromiseClock = SkippingClock()
    ) async throws -> Value {
        try await Runner.testing(clock: clock).run(Workflow(tasks: tasks, rest: rest), input: input).value
    }

    private func error(
        _ tasks: String, rest: String = "", input: Value = [:], clock: any PromiseClock = SkippingClock()
    ) async throws -> WorkflowError {
        try #require(
            await #expect(throws: WorkflowError.self) {
                try await run(tasks, rest: rest, input: input, clock: clock)
            })
    }

    // MARK: Evaluate

    @Test func `[strict] requires all expressions to be enclosed within braces.`() async throws {
        let rest = "evaluate: { language: jq, mode: strict }"
        #expect(
            try await run("- a: { set: { b: .n, c: '${ .n }' } }", rest: rest, input: ["n": 1]) == ["b": ".n", "c": 1])
    }

    @Test func `[loose] evaluates any value provided; if it fails, it results in a string with the expression.`()
        async throws
    {
        let rest = "evaluate: { language: jq, mode: loose }"
        let output = try await run("- a: { set: { b: .n, c: just a text } }", rest: rest, input: ["n": 1])
        #expect(output == ["b": 1, "c": "just a text"])
    }

    // MARK: Input, output, export, schema

    @Test func `Runtimes must validate raw input data against the defined schema before applying transformations.`()
        async throws
    {
        let found = try await error(
            """
            - a:
                input: { schema: { document: { type: object, required: [n] } }, from: 'error("transformed")' }
                set: { b: 1 }
            """)
        #expect(found.is(.validation))
        #expect(found.status == 400)
    }

    @Test func `Runtimes must validate output data against the defined schema after applying transformations.`()
        async throws
    {
        let schema = "schema: { document: { type: integer } }"
        #expect(try await run("- a: { set: { n: 1 }, output: { as: .n, \(schema) } }") == 1)
        #expect(try await error("- a: { set: { n: x }, output: { as: .n, \(schema) } }").is(.validation))
    }

    @Test func `The result of the [export] expression is the new value of the context.`() async throws {
        let output = try await run(
            """
            - a: { set: { n: 1 }, export: { as: "$context + ." } }
            - b: { set: { m: 2 }, export: { as: . } }
            - c: { set: { all: "${ $context }" } }
            """, input: ["first": true])
        #expect(output == ["all": ["m": 2]])
    }

    @Test func `The [export] expression is evaluated against the transformed task output.`() async throws {
        let output = try await run(
            "- a: { set: { n: 1 }, output: { as: .n }, export: { as: '{ was: . }' } }\n- b: { set: '${ $context }' }")
        #expect(output == ["was": 1])
    }

    @Test func `The context might have an associated schema which is validated against the result.`() async throws {
        let found = try await error(
            "- a: { set: { n: x }, export: { as: ., schema: { document: { properties: { n: { type: integer } } } } } }")
        #expect(found.is(.validation))
    }

    @Test func `[as of an output] can be an object with expressions.`() async throws {
        #expect(try await run("- a: { set: { n: 1 }, output: { as: { petId: '${ .n }' } } }") == ["petId": 1])
    }

    // MARK: Error

    @Test func `Runtimes MUST ensure that type and status have been set when raising the error.`() async throws {
        for missing in ["status: 400", "type: 'https://example.com'"] {
            let invalid = #expect(throws: InvalidWorkflow.self) {
                try Workflow(tasks: "- a: { raise: { error: { \(missing) } } }")
            }
            #expect(invalid?.diagnostics.map(\.id) == ["missing-property"])
        }
    }

    @Test func `Runtimes MUST set the instance when raising or escalating the error.`() async throws {
        let raised = try await error(
            "- tryGetPet: { try: [{ getPet: { raise: { error: { type: 'https://example.com', status: 1 } } } }], catch: { when: 'false' } }"
        )
        #expect(raised.instance == "/do/0/tryGetPet/try/0/getPet")
    }

    @Test func `A title and a detail can be a runtime expression.`() async throws {
        let found = try await error(
            """
            - a:
                raise:
                  error: { type: "https://example.com", status: 1, title: "${ .t }", detail: "for ${ .who }" }
            """, input: ["t": "Title", "who": "Megan"])
        #expect(found.title == "Title")
        #expect(found.detail == "for Megan")
    }

    // MARK: Retry

    @Test func `[limit.attempt.count] The maximum attempts count.`() async throws {
        let clock = SkippingClock()
        let tasks = """
            - a:
                try: [{ b: { raise: { error: { type: "https://example.com", status: 503 } } } }]
                catch: { retry: { delay: PT1S, limit: { attempt: { count: 3 } } } }
            """
        #expect(try await error(tasks, clock: clock).status == 503)
        #expect(clock.waits == [.seconds(1), .seconds(1), .seconds(1)])
    }

    @Test(arguments: [("constant", [2, 2, 2]), ("linear", [2, 4, 6]), ("exponential", [2, 4, 8])])
    func `The definition of the backoff to use.`(name: String, seconds: [Int]) async throws {
        let clock = SkippingClock()
        _ = try await error(
            """
            - a:
                try: [{ b: { raise: { error: { type: "https://example.com", status: 503 } } } }]
                catch: { retry: { delay: PT2S, backoff: { \(name): {} }, limit: { attempt: { count: 3 } } } }
            """, clock: clock)
        #expect(clock.waits == seconds.map { .seconds($0) })
    }

    @Test func `[jitter] controls the randomness of the delay between retry attempts.`() async throws {
        let clock = SkippingClock()
        _ = try await error(
            """
            - a:
                try: [{ b: { raise: { error: { type: "https://example.com", status: 503 } } } }]
                catch:
                  retry: { delay: PT2S, jitter: { from: PT1S, to: PT3S }, limit: { attempt: { count: 1 } } }
            """, clock: clock)
        // The runner of these tests draws 0.5.
        #expect(clock.waits == [.seconds(4)])
    }

    @Test func `[when and exceptWhen] determine whether or not to retry running the task.`() async throws {
        for (condition, count) in [("when: $error.status == 503", 1), ("exceptWhen: $error.status == 503", 0)] {
            let clock = SkippingClock()
            _ = try await error(
                """
                - a:
                    try: [{ b: { raise: { error: { type: "https://example.com", status: 503 } } } }]
                    catch: { retry: { delay: PT1S, \(condition), limit: { attempt: { count: 1 } } } }
                """, clock: clock)
            #expect(clock.waits.count == count)
        }
    }

    // MARK: Timeout, duration

    @Test func `The duration after which the workflow or task times out.`() async throws {
        for (tasks, rest, instance) in [
            ("- a: { wait: PT1M }", "timeout: { after: PT30S }", ""),
            ("- a: { wait: PT1M, timeout: { after: { seconds: 30 } } }", "", "/do/0/a"),
        ] {
            let clock = ManualClock()
            let run = try Runner.testing(clock: clock).run(Workflow(tasks: tasks, rest: rest))
            while clock.waitCount < 2 { await pause() }
            clock.advance(by: .seconds(30))
            let found = await #expect(throws: WorkflowError.self) { try await run.value }
            #expect(found?.is(.timeout) == true)
            #expect(found?.status == 408)
            #expect(found?.instance == instance)
            await clock.allEnded()
        }
    }

    @Test func `Number of days, hours, minutes, seconds and milliseconds, if any.`() async throws {
        let clock = SkippingClock()
        _ = try await run("- a: { wait: { days: 1, hours: 2, minutes: 3, seconds: 4, milliseconds: 5 } }", clock: clock)
        #expect(clock.waits == [.seconds(86_400 + 7_200 + 180 + 4) + .milliseconds(5)])
    }

    // MARK: Runtime expression arguments (dsl.md)

    @Test func `[workflow descriptor] id, definition, raw input, startedAt`() async throws {
        let output = try await run(
            """
            - a:
                set:
                  id: "${ $workflow.id | length > 0 }"
                  name: "${ $workflow.definition.document.name }"
                  raw: "${ $workflow.input }"
                  started: "${ $workflow.startedAt | (.iso8601 | length > 0) and .epoch.milliseconds / 1000 >= .epoch.seconds }"
            """, rest: "input: { from: .n }", input: ["n": 1])
        #expect(output == ["id": true, "name": "test", "raw": ["n": 1], "started": true])
    }

    @Test func `[task descriptor] name, reference, definition, raw input, raw output, startedAt`() async throws {
        let output = try await run(
            """
            - a:
                input: { from: .n }
                set: { b: "${ . }" }
                output:
                  as: >-
                    [$task.name, $task.reference, $task.definition.set, $task.input, $task.output,
                    ($task.startedAt.epoch.seconds > 0)]
            """, input: ["n": 1])
        #expect(output == ["a", "/do/0/a", ["b": "${ . }"], ["n": 1], ["b": 1], true])
    }

    @Test func `[runtime descriptor] name, version, metadata`() async throws {
        let output = try await run("- a: { set: '${ $runtime | [.name, (.version | type), (.metadata | type)] }' }")
        #expect(output == ["graphflow", "string", "object"])
    }

    @Test func `When the evaluation of an expression fails, runtimes must raise an expression error with status 400.`()
        async throws
    {
        let found = try await error("- a: { set: { b: '${ 1 / 0 }' } }")
        #expect(found.type == "https://serverlessworkflow.io/spec/1.0.0/errors/expression")
        #expect(found.status == 400)
    }
}
