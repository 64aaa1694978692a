import Promises
import TestSupport
import Testing

@testable import Workflows

/// dsl-reference.md, "For".
@Suite struct ForTests {
    @Test func `performs the tasks for each element, with the element and its position in variables`() async throws {
        let workflow = try Workflow(
            tasks: """
                - loopColors:
                    for: { each: color, in: .colors }
                    do:
                      - markProcessed:
                          set:
                            processed: '${ { colors: (.processed.colors + [$color]), indexes: (.processed.indexes + [$index]) } }'
                """)
        let output = try await Runner.testing().run(workflow, input: ["colors": ["red", "green", "blue"]]).value
        #expect(output == ["processed": ["colors": ["red", "green", "blue"], "indexes": [0, 1, 2]]])
    }

    @Test func `calls the element item and its position index where the file gives no names`() async throws {
        let workflow = try Workflow(
            tasks: """
                - loop:
                    for: { in: .list }
                    do:
                      - add: { set: { list: "${ .list }", seen: '${ (.seen // []) + ["\\($index)=\\($item)"] }' } }
                """)
        let output = try await Runner.testing().run(workflow, input: ["list": ["a", "b"]]).value
        #expect(output["seen"] == ["0=a", "1=b"])
    }

    @Test func `gives its input where there is no element`() async throws {
        let workflow = try Workflow(
            tasks: """
                - loop: { for: { in: "[]" }, do: [{ never: { set: { a: 1 } } }] }
                """)
        #expect(try await Runner.testing().run(workflow, input: ["b": 2]).value == ["b": 2])
    }

    @Test func `goes on only while the condition holds, which is asked before each round`() async throws {
        let workflow = try Workflow(
            tasks: """
                - loop:
                    for: { each: number, in: "[1, 2, 3, 4]", at: place }
                    while: (.sum // 0) + $number <= 6 and $place < 10
                    do: [{ add: { set: { sum: "${ (.sum // 0) + $number }" } } }]
                """)
        #expect(try await Runner.testing().run(workflow).value == ["sum": 6])
    }

    @Test func `raises an expression error where the collection is no array`() async throws {
        let workflow = try Workflow(
            tasks: """
                - loop: { for: { in: .users }, do: [{ never: { set: { a: 1 } } }] }
                """)
        let error = await #expect(throws: WorkflowError.self) {
            try await Runner.testing().run(workflow, input: ["users": "none"]).value
        }
        #expect(error?.is(.expression) == true)
        #expect(error?.instance == "/do/0/loop")
        #expect(error?.detail == "'for.in' must be an array, but it is a string")
    }

    @Test func `exit ends a round, and end ends the workflow`() async throws {
        let workflow = try Workflow(
            tasks: """
                - loop:
                    for: { in: "[1, 2, 3]" }
                    do:
                      - choose:
                          switch:
                            - last: { when: $item == 3, then: end }
                            - default: { then: exit }
                      - never: { set: { reached: true } }
                - behind: { set: { behind: true } }
                """)
        #expect(try await Runner.testing().run(workflow, input: ["a": 1]).value == ["a": 1])
    }

    @Test func `raises what a round raises, with the place of the task in the file`() async throws {
        let workflow = try Workflow(
            tasks: """
                - loop:
                    for: { in: "[0, 1]" }
                    do: [{ divide: { set: { a: "${ 1 / (1 - $item) }" } } }]
                """)
        let error = await #expect(throws: WorkflowError.self) { try await Runner.testing().run(workflow).value }
        #expect(error?.instance == "/do/0/loop/do/0/divide")
    }

    @Test func `cancelling a run ends a loop that would go on for ever`() async throws {
        let clock = ManualClock()
        let workflow = try Workflow(
            tasks: """
                - loop: { for: { in: "[range(1000000)]" }, do: [{ rest: { wait: PT1S } }] }
                """)
        let run = Runner.testing(clock: clock).run(workflow)
        while clock.waitCount == 0 { await pause() }
        run.cancel()
        await #expect(throws: (any Error).self) { try await run.value }
        await clock.allEnded()
    }
}
