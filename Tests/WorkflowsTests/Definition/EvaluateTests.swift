import Promises
import TestSupport
import Testing
import Workflows

/// `evaluate`: which texts of a workflow are expressions.
@Suite struct EvaluateTests {
    private let tasks = "- only: { set: { a: '.n + 1', b: 'just a text', c: '${ .n }' } }"

    @Test func `in strict mode only braces make an expression`() async throws {
        for rest in ["", "evaluate: { mode: strict }", "evaluate: { language: jq }"] {
            let output = try await Runner.testing().run(Workflow(tasks: tasks, rest: rest), input: ["n": 1]).value
            #expect(output == ["a": ".n + 1", "b": "just a text", "c": 1])
        }
    }

    @Test func `in loose mode a text that is an expression is evaluated without them`() async throws {
        let workflow = try Workflow(tasks: tasks, rest: "evaluate: { mode: loose }")
        let output = try await Runner.testing().run(workflow, input: ["n": 1]).value
        #expect(output == ["a": 2, "b": "just a text", "c": 1])
    }

    @Test(arguments: ["evaluate: { mode: sloppy }", "evaluate: { language: javascript }", "evaluate: { modus: loose }"])
    func `another mode or language is refused`(rest: String) {
        #expect(throws: InvalidWorkflow.self) { try Workflow(tasks: tasks, rest: rest) }
    }
}
