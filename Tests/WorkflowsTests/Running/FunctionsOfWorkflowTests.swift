import Promises
import TestSupport
import Testing

@testable import Workflows

/// dsl-reference.md, "Use", functions: tasks that `call` can name.
@Suite struct FunctionsOfWorkflowTests {
    @Test func `a function is performed with what it is called with as its input`() async throws {
        let workflow = try Workflow(
            tasks: """
                - hello: { call: greet, with: { name: "${ .who }" } }
                """,
            rest: """
                use: { functions: { greet: { set: { greeting: '${ "Hello \\(.name)!" }' } } } }
                """)
        #expect(try await Runner.testing().run(workflow, input: ["who": "Megan"]).value == ["greeting": "Hello Megan!"])
    }

    @Test func `a function that is called without arguments is given the input of the call`() async throws {
        let workflow = try Workflow(
            tasks: "- hello: { call: greet }",
            rest: """
                use: { functions: { greet: { set: { greeting: '${ "Hello \\(.name)!" }' } } } }
                """)
        #expect(
            try await Runner.testing().run(workflow, input: ["name": "Megan"]).value == ["greeting": "Hello Megan!"])
    }

    @Test func `a function has an input and an output of its own`() async throws {
        let workflow = try Workflow(
            tasks: "- double: { call: twice, with: { number: 21 }, output: { as: .result } }",
            rest: """
                use:
                  functions:
                    twice:
                      input: { schema: { document: { type: object, required: [number] } }, from: .number }
                      set: "${ . * 2 }"
                      output: { as: "{ result: . }" }
                """)
        #expect(try await Runner.testing().run(workflow).value == 42)
    }

    @Test func `arguments that the function's schema refuses are found before anything runs`() throws {
        let workflow = try Workflow(
            tasks: "- double: { call: twice, with: { nubmer: 21 } }",
            rest: """
                use:
                  functions:
                    twice:
                      input: { schema: { document: { type: object, required: [number] } } }
                      set: "${ .number * 2 }"
                """)
        #expect(workflow.validate().map(\.id) == ["arguments"])
    }

    @Test func `a function that calls itself without end is stopped`() async throws {
        let workflow = try Workflow(
            tasks: "- go: { call: again }", rest: "use: { functions: { again: { call: again } } }")
        let error = await #expect(throws: WorkflowError.self) { try await Runner.testing().run(workflow).value }
        #expect(error?.is(.runtime) == true)
        #expect(error?.detail == "'again' was called 100 levels deep: it calls itself endlessly")
    }

    @Test func `an error in a function points at the place in the function`() async throws {
        let workflow = try Workflow(
            tasks: "- go: { call: broken }",
            rest: "use: { functions: { broken: { do: [{ divide: { set: { a: '${ 1 / 0 }' } } }] } } }")
        let error = await #expect(throws: WorkflowError.self) { try await Runner.testing().run(workflow).value }
        #expect(error?.instance == "/use/functions/broken/do/0/divide")
    }
}
