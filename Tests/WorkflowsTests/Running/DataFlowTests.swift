import Promises
import Testing
import TestSupport
import Workflows

/// The standard's data flow, step by step.
@Suite struct DataFlowTests {
    private func run(_ tasks: String, rest: String = "", input: Value = [:]) async throws -> Value {
        try await Runner.testing().run(Workflow(tasks: tasks, rest: rest), input: input).value
    }

    @Test func `a task's output is the next task's input`() async throws {
        let output = try await run(
            """
            - first: { set: { a: 1 } }
            - second: { set: { b: '${ .a + 1 }' } }
            """)
        #expect(output == ["b": 2])
    }

    @Test func `the workflow's input is transformed before the first task`() async throws {
        let output = try await run(
            "- keep: { set: { got: '${ . }', raw: '${ $workflow.input }' } }",
            rest: "input: { from: '${ .order }' }", input: ["order": ["id": 7]])
        #expect(output == ["got": ["id": 7], "raw": ["order": ["id": 7]]])
    }

    private static let withDefaults = """
        input:
          schema:
            document:
              type: object
              required: [size]
              properties: { size: { type: integer, default: 3 }, place: { properties: { city: { default: Oslo } } } }
        """

    @Test func `the defaults of the input's schema fill what is missing, before it is checked`() async throws {
        let task = "- keep: { set: { got: '${ . }', raw: '${ $workflow.input }' } }"
        let output = try await run(task, rest: Self.withDefaults, input: ["place": [:]])
        #expect(
            output == ["got": ["place": ["city": "Oslo"], "size": 3], "raw": ["place": ["city": "Oslo"], "size": 3]])
        #expect(try await run(task, rest: Self.withDefaults, input: ["size": 1])["got"] == ["size": 1])
        let workflow = try Workflow(tasks: task, rest: Self.withDefaults)
        #expect(workflow.validate(input: ["place": [:]]).isEmpty)
        #expect(workflow.validate(input: ["size": "large"]).count == 1)
        let plan = try await Runner.testing().plan(workflow, input: [:]).value
        #expect(plan.output == ["got": ["size": 3], "raw": ["size": 3]])
    }

    @Test func `a default that the input's schema refuses is a warning at its place`() throws {
        let rest = Self.withDefaults.replacing("default: 3", with: "default: three")
        let findings = try Workflow(tasks: "- keep: { set: { a: 1 } }", rest: rest).validate()
        #expect(
            findings.map { "\($0.severity) \($0.id): \($0.message)" } == [
                "warning default: the default must be an integer, but is a string"
            ])
        #expect(findings.first?.range?.start.line == 7)
    }

    @Test func `an expression keeps the type of its value, and one inside a text is written into it`() async throws {
        let output = try await run(
            "- keep: { set: { whole: '${ .n }', part: 'n is ${ .n }!', plain: 'no $' } }", input: ["n": [1, 2]])
        #expect(output == ["whole": [1, 2], "part": "n is [1,2]!", "plain": "no $"])
    }

    @Test func `input-from gives the task its input, also without the braces`() async throws {
        let output = try await run(
            """
            - keep:
                input: { from: .a }
                set: { here: '${ . }', input: '${ $input }', raw: '${ $task.input }' }
            """, input: ["a": 5])
        #expect(output == ["here": 5, "input": 5, "raw": ["a": 5]])
    }

    @Test func `output-as sees the raw output and the input`() async throws {
        let output = try await run(
            """
            - keep:
                set: { n: 2 }
                output: { as: '${ { out: .n, in: $input.n } }' }
            """, input: ["n": 1])
        #expect(output == ["out": 2, "in": 1])
    }

    @Test func `export-as sets the context from the transformed output, for every later task`() async throws {
        let output = try await run(
            """
            - first:
                set: { n: 2 }
                output: { as: '${ .n }' }
                export: { as: '${ { was: ., same: ($output == .) } }' }
            - second: { set: { other: true } }
            - third: { set: '${ $context }' }
            """)
        #expect(output == ["was": 2, "same": true])
    }

    @Test func `the context begins as the transformed input`() async throws {
        let output = try await run(
            "- keep: { set: { context: '${ $context }' } }", rest: "input: { from: .a }", input: ["a": ["b": 1]])
        #expect(output == ["context": ["b": 1]])
    }

    @Test func `the workflow's output is transformed at the end`() async throws {
        let output = try await run(
            "- keep: { set: { a: 1, b: 2 }, export: { as: '${ .b }' } }",
            rest: "output: { as: { a: '${ .a }', context: '${ $context }' } }")
        #expect(output == ["a": 1, "context": 2])
    }

    @Test func `a task whose condition does not hold is skipped, and its input goes on`() async throws {
        let output = try await run(
            """
            - skipped: { if: '${ .n > 1 }', set: { n: 100 }, export: { as: '${ 1 }' }, then: end }
            - last: { set: { n: '${ .n }', context: '${ $context }' } }
            """, input: ["n": 1])
        #expect(output == ["n": 1, "context": ["n": 1]])
    }

    @Test func `a task that is skipped makes no demands on its input`() async throws {
        let output = try await run(
            """
            - skipped:
                if: ${ .order != null }
                input: { schema: { document: { required: [order] } }, from: '${ .order.id | tonumber }' }
                set: { n: 1 }
            """, input: ["a": 1])
        #expect(output == ["a": 1])
    }

    @Test func `expressions know their task, workflow and runtime`() async throws {
        let output = try await run(
            """
            - outer:
                do:
                  - inner:
                      set:
                        name: ${ $task.name }
                        reference: ${ $task.reference }
                        definition: ${ $task.definition.set.name }
                        workflow: ${ $workflow.definition.document.name }
                        runtime: ${ $runtime.name }
                        started: ${ $workflow.startedAt.epoch.seconds <= $task.startedAt.epoch.seconds }
            """)
        #expect(
            output == [
                "name": "inner", "reference": "/do/0/outer/do/0/inner", "definition": "${ $task.name }",
                "workflow": "test", "runtime": "graphflow", "started": true,
            ])
    }

    @Test(arguments: [
        ("input: { schema: { document: { required: [a] } } }, set: { b: 1 }", "the task's input"),
        ("set: { b: 1 }, output: { schema: { document: { required: [a] } } }", "the task's output"),
        ("set: { b: 1 }, export: { as: '${ . }', schema: { document: { required: [a] } } }", "the context"),
    ])
    func `data that does not fit its schema is a validation error`(task: String, what: String) async throws {
        let error = await #expect(throws: WorkflowError.self) { try await run("- check: { \(task) }") }
        #expect(error?.type == "https://serverlessworkflow.io/spec/1.0.0/errors/validation")
        #expect(error?.status == 400)
        #expect(error?.instance == "/do/0/check")
        #expect(error?.detail?.hasPrefix(what) == true)
    }

    @Test func `an expression that fails is an expression error of its task`() async throws {
        let error = await #expect(throws: WorkflowError.self) {
            try await run("- fail: { set: { a: '${ .n + {} }' } }", input: ["n": 1])
        }
        #expect(error?.type == "https://serverlessworkflow.io/spec/1.0.0/errors/expression")
        #expect(error?.status == 400)
        #expect(error?.instance == "/do/0/fail")
    }

    @Test func `an input that does not fit the workflow's schema runs nothing`() async throws {
        let log = EventLog()
        let workflow = try Workflow(
            tasks: "- keep: { set: { a: 1 } }",
            rest: "input: { schema: { document: { properties: { n: { type: integer } } } } }")
        let error = await #expect(throws: InvalidWorkflow.self) {
            try await Runner.testing(recorders: [log.recorder]).run(workflow, input: ["n": "one"]).value
        }
        #expect(error?.diagnostics.first?.range?.start.line == 2)
        #expect(log.events.isEmpty)
    }
}
