import Promises
import TestSupport
import Testing

@testable import Workflows

/// dsl-reference.md, "Extension".
@Suite struct ExtensionTests {
    private static func runner(_ said: Locked<[Value]>) -> Runner {
        .testing { catalog in
            catalog.register("log") { input, _ in
                said.withLock { $0.append(input["message"] ?? .null) }
                return .value("logged")
            }
            catalog.register("fetch") { _, _ in .value(["fetched": true]) }
        }
    }

    @Test func `performs tasks before and after, which see the extended task and change no data`() async throws {
        let said = Locked<[Value]>([])
        let workflow = try Workflow(
            tasks: """
                - first: { set: { a: 1 } }
                - second: { do: [{ third: { set: { b: "${ .a + 1 }" } } }] }
                """,
            rest: """
                use:
                  extensions:
                    - logging:
                        extend: all
                        before: [{ say: { call: log, with: { message: '${ "before \\($task.reference)" }' } } }]
                        after: [{ say: { call: log, with: { message: '${ "after \\($task.name) \\(.)" }' } } }]
                """)
        #expect(try await Self.runner(said).run(workflow).value == ["b": 2])
        #expect(
            said.withLock { $0 } == [
                "before /do/0/first", "after first {\"a\":1}", "before /do/1/second",
                "before /do/1/second/do/0/third", "after third {\"b\":2}", "after second {\"b\":2}",
            ])
    }

    @Test func `stands in for a call whose definition the condition asks for`() async throws {
        let workflow = try Workflow(
            tasks: """
                - get: { call: fetch, with: { place: "https://mocked.example.com/pets" }, output: { as: .content.foo } }
                - other: { call: fetch, with: { place: "https://example.com" }, input: { from: "{}" } }
                """,
            rest: """
                use:
                  extensions:
                    - mock:
                        extend: call
                        when: $task.call == "fetch" and ($task.with.place | startswith("https://mocked"))
                        before:
                          - intercept: { set: { statusCode: 200, content: { foo: bar } }, then: exit }
                output: { as: "{ last: ., mocked: $context.mocked }" }
                """)
        let log = EventLog()
        var runner = Self.runner(Locked([]))
        runner.recorders = [log.recorder]
        #expect(try await runner.run(workflow).value["last"] == ["fetched": true])
        let outputs = log.events.compactMap { event -> Value? in
            guard case .taskCompleted(_, let output, _, _) = event.kind, event.task?.tokens.last == "get" else {
                return nil
            }
            return output
        }
        #expect(outputs == ["bar"])
        #expect(!log.summary.contains("call.started /do/0/get"))
    }

    @Test func `extends only the kind of task that it names`() async throws {
        let said = Locked<[Value]>([])
        let workflow = try Workflow(
            tasks: """
                - a: { set: { x: 1 } }
                - b: { call: fetch }
                - c: { do: [{ d: { set: { x: 2 } } }] }
                """,
            rest: """
                use:
                  extensions:
                    - one: { extend: call, after: [{ say: { call: log, with: { message: "${ $task.name }" } } }] }
                    - two: { extend: composite, after: [{ say: { call: log, with: { message: "${ $task.name }" } } }] }
                """)
        _ = try await Self.runner(said).run(workflow).value
        #expect(said.withLock { $0 } == ["b", "c"])
    }

    @Test func `an error before the task is an error of the task, which its try catches`() async throws {
        let workflow = try Workflow(
            tasks: """
                - attempt:
                    try: [{ get: { call: fetch } }]
                    catch: { do: [{ handle: { set: { caught: "${ $error.status }" } } }] }
                """,
            rest: """
                use:
                  extensions:
                    - guard:
                        extend: call
                        before: [{ refuse: { raise: { error: { type: "https://example.com/no", status: 403 } } } }]
                """)
        #expect(try await Self.runner(Locked([])).run(workflow).value == ["caught": 403])
    }

    @Test func `extensions apply in their order`() async throws {
        let said = Locked<[Value]>([])
        let workflow = try Workflow(
            tasks: "- a: { set: { x: 1 } }",
            rest: """
                use:
                  extensions:
                    - one: { extend: set, before: [{ say: { call: log, with: { message: one } } }] }
                    - two: { extend: all, before: [{ say: { call: log, with: { message: two } } }] }
                """)
        _ = try await Self.runner(said).run(workflow).value
        #expect(said.withLock { $0 } == ["one", "two"])
    }
}
