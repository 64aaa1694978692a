import Promises
import Testing
import TestSupport
import Workflows

/// Where a workflow continues after a task.
@Suite struct FlowTests {
    private func run(_ tasks: String, input: Value = [:]) async throws -> Value {
        try await Runner.testing().run(Workflow(tasks: tasks), input: input).value
    }

    @Test func `then leads to the task of that name`() async throws {
        let output = try await run(
            """
            - first: { set: { way: '1' }, then: third }
            - second: { set: { way: '${ .way + "2" }' } }
            - third: { set: { way: '${ .way + "3" }' } }
            """)
        #expect(output == ["way": "13"])
    }

    @Test func `exit leaves the list, end leaves the workflow`() async throws {
        let tasks = """
            - outer:
                do:
                  - inner: { set: { way: 'in' }, then: %DIRECTIVE% }
                  - never: { set: { way: 'never' } }
            - after: { set: { way: '${ .way + " and after" }' } }
            """
        #expect(try await run(tasks.replacing("%DIRECTIVE%", with: "exit")) == ["way": "in and after"])
        #expect(try await run(tasks.replacing("%DIRECTIVE%", with: "end")) == ["way": "in"])
    }

    @Test func `tasks around one that ends the workflow still transform its output`() async throws {
        let output = try await run(
            """
            - outer:
                do: [ { inner: { set: { n: 1 }, then: end } } ]
                output: { as: '${ { wrapped: .n } }' }
            - never: { set: { n: 2 } }
            """)
        #expect(output == ["wrapped": 1])
    }

    @Test(arguments: [("red", "stop"), ("green", "go"), ("blue", "default")])
    func `switch goes on at the first case that matches`(colour: String, expected: String) async throws {
        let output = try await run(
            """
            - choose:
                switch:
                  - other: { then: unknown }
                  - red: { when: '.colour == "red"', then: stop }
                  - green: { when: '${ .colour == "green" }', then: go }
            - stop: { set: { did: stop }, then: exit }
            - go: { set: { did: go }, then: exit }
            - unknown: { set: { did: default } }
            """, input: ["colour": .string(colour)])
        #expect(output == ["did": .string(expected)])
    }

    @Test func `switch without a match goes on at the next task`() async throws {
        let output = try await run(
            """
            - choose: { switch: [ { never: { when: 'false', then: end } } ] }
            - next: { set: { did: next } }
            """)
        #expect(output == ["did": "next"])
    }

    @Test func `a loop of very many rounds ends`() async throws {
        let count = Extent.of(100_000, or: 20_000)
        let output = try await run(
            """
            - count: { set: { n: '${ .n + 1 }' } }
            - again: { switch: [ { more: { when: '.n < \(count)', then: count } } ] }
            """, input: ["n": 0])
        #expect(output == ["n": .integer(count)])
    }

    @Test func `a plan of a loop that only a service's answer ends shows one round`() async throws {
        let workflow = try Workflow(
            tasks: """
                - poll: { call: me }
                - again: { switch: [ { more: { when: '.email != "done"', then: poll } } ] }
                - after: { call: photo }
                """)
        let plan = try await Runner.testing().plan(workflow).value
        #expect(plan.requests.map(\.operation.name) == ["me", "photo"])
        let ways = try #require(plan.tasks.last).branches
        #expect(ways.map(\.certainty.description) == ["when more: .email != \"done\"", "when none of them: otherwise"])
        guard case .again("poll") = ways.first?.end else {
            Issue.record("the first way goes back")
            return
        }
    }

    @Test func `a plan of a loop that nothing ends is given up`() async throws {
        let workflow = try Workflow(
            tasks: """
                - go: { set: { a: 1 } }
                - again: { switch: [ { more: { when: '.a == 1', then: go } } ] }
                """)
        let error = await #expect(throws: WorkflowError.self) { try await Runner.testing().plan(workflow).value }
        #expect(error?.detail?.hasPrefix("the plan does not end") == true)
        #expect(error?.instance == "/do/1/again")
    }

    @Test func `a workflow without tasks gives its input`() async throws {
        let workflow = try Workflow(
            text: "{ document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }, do: [] }")
        #expect(try await Runner.testing().run(workflow, input: ["a": 1]).value == ["a": 1])
    }

    @Test func `wait waits as long as it says`() async throws {
        let clock = SkippingClock()
        let workflow = try Workflow(
            tasks: """
                - short: { wait: { seconds: 1, milliseconds: 500 } }
                - iso: { wait: PT1M30S }
                - computed: { wait: '${ { seconds: .n } }' }
                """)
        let output = try await Runner.testing(clock: clock).run(workflow, input: ["n": 4]).value
        #expect(output == ["n": 4])
        #expect(clock.waits == [.milliseconds(1_500), .seconds(90), .seconds(4)])
    }

    @Test(arguments: [
        ("- a: { set: { b: 1 } }\n- c: { do: [ { d: { set: { b: 2 } } } ] }", [""]),
        ("- a: { set: { b: 1 }, then: c }\n- c: { do: [ { d: { set: { b: 2 } } } ] }", ["jump:0", "jump:1"]),
        ("- a: { switch: [ { x: { then: c } } ] }\n- c: { set: { b: 2 } }", ["jump:0", "jump:1"]),
        ("- a: { switch: [ { x: { then: continue } } ] }\n- c: { set: { b: 2 } }", [""]),
    ])
    func `only in a list with jumps do the events of a task count them`(tasks: String, occurrences: [String])
        async throws
    {
        let log = EventLog()
        _ = try await Runner.testing(recorders: [log.recorder]).run(Workflow(tasks: tasks)).value
        #expect(Set(log.events.filter { $0.type.hasSuffix("task.started.v1") }.map(\.occurrence)) == Set(occurrences))
    }
}
