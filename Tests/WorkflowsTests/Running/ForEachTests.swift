import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// The function `forEach`: a run of a workflow for each item of a list.
@Suite struct ForEachTests {
    /// A folder with the workflow `inner`.
    private static func folder(_ tasks: String, rest: String = "") throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let indented = tasks.split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)" }
        try folder.write(
            "inner.yaml",
            """
            document: { dsl: 1.0.3, namespace: tests, name: inner, version: 1.0.0 }
            \(rest)
            do:
            \(indented.joined(separator: "\n"))
            """)
        return folder
    }

    private static func outer(
        _ folder: TemporaryFolder, in items: String, _ more: String = "", version: String = "1.0.0", after: String = ""
    ) throws -> Workflow {
        try Workflow(tasks: call(in: items, more, version: version) + after, folder: folder.url)
    }

    private static func call(in items: String, _ more: String = "", version: String = "1.0.0") -> String {
        """
        - each:
            call: forEach
            with: { in: \(items), workflow: { namespace: tests, name: inner, version: \(version) }\(more) }
        """
    }

    /// Fails for items whose `x` is at least 10.
    private static let picky =
        "- a: { if: '${ .x >= 10 }', raise: { error: { type: 'https://example.com/big', status: 418, detail: too big } } }\n"
        + "- b: { set: { y: '${ .x + 1 }' } }"
    private static let schema = "input: { schema: { document: { properties: { x: { type: number } } } } }"

    private static func error(_ workflow: Workflow, by runner: Runner = .testing()) async -> WorkflowError? {
        await #expect(throws: WorkflowError.self) { try await runner.run(workflow).value }
    }

    @Test(arguments: ["", ", concurrency: 3", ", concurrency: 100, onFailure: continue"])
    func `gives the outputs with their keys, in the order of the items`(more: String) async throws {
        let folder = try Self.folder("- a: { wait: '${ { milliseconds: .x } }' }\n- b: { set: { y: '${ .x + 1 }' } }")
        let outer = try Self.outer(folder, in: "[{ x: 3 }, { x: 1 }, { x: 2 }]", more)
        #expect(
            try await Runner.testing().run(outer).value == [
                "completed": [
                    ["key": ["x": 3], "output": ["y": 4]], ["key": ["x": 1], "output": ["y": 2]],
                    ["key": ["x": 2], "output": ["y": 3]],
                ], "failed": [],
            ])
        let none = try Self.outer(folder, in: "[]", more)
        #expect(try await Runner.testing().run(none).value == ["completed": [], "failed": []])
    }

    @Test func `tasks in the call run as those of another workflow do, also inside others`() async throws {
        let workflow = try Workflow(
            tasks: """
                - outer:
                    call: forEach
                    with:
                      in: '${ [{ x: 1 }, { x: 10 }, { x: 3 }] }'
                      key: .x
                      onFailure: continue
                      concurrency: 2
                      do:
                        - a:
                            if: '${ .x >= 10 }'
                            raise: { error: { type: 'https://example.com/big', status: 418, detail: too big } }
                        - inner:
                            call: forEach
                            with:
                              in: '${ [.x, .x + 1] }'
                              input: { s: '${ $secrets.door }' }
                              do: [{ twice: { call: double, with: { n: '${ .item }', s: '${ .s }' } } }]
                        - all: { set: { all: '${ .completed | map(.output) }', input: '${ $workflow.input }' } }
                """,
            rest: """
                use:
                  secrets: [door]
                  functions: { double: { set: { n: '${ 2 * .n }', s: '${ .s | length }' } } }
                """)
        #expect(workflow.validate(with: Catalog.default).map(\.message) == [])
        #expect(workflow.usedSecrets == ["door"])
        var runner = Runner.testing()
        runner.secrets = .values(["door": SecretValue("1234")])
        let output = try await runner.run(workflow).value
        let first: Value = ["all": [["n": 2, "s": 4], ["n": 4, "s": 4]], "input": ["x": 1]]
        #expect(output["completed"]?.array?.first == ["key": 1, "output": first])
        #expect(output["completed"]?.array?.map { $0["key"] } == [1, 3])
        let error = output["failed"]?[0]?["error"]
        #expect(error?["detail"]?.string?.hasSuffix("too big") == true)
        let stopped = try Workflow(
            tasks: """
                - each: { call: forEach, with: { in: [1, 2], do: [{ fail: { raise: { error: { type: 'https://a.com/n', status: 400, detail: no } } } }] } }
                """)
        let thrown = await Self.error(stopped)
        #expect(thrown?.detail == "item 1 of 2: in 'each', /do/0/each/with/do/0/fail: no")
        #expect(thrown?.instance == "/do/0/each")
    }

    @Test(arguments: [
        ("{ in: [1] }", "'forEach' needs 'do' or 'workflow'"),
        (
            "{ in: [1], do: [{ a: { wait: PT1S } }], workflow: { namespace: a, name: b, version: 1.0.0 } }",
            "'forEach' has 'do' and 'workflow'"
        ), ("{ in: [1], do: [{ a: { set: { b: '${ $x }' } } }] }", "there is no variable '$x'"),
        ("{ in: [1], do: [{ a: { call: sendMial, with: {} } }] }", "there is no function 'sendMial'"),
        ("{ in: [1], do: [{ a: { set: { b: 1 }, then: nowhere } }] }", "there is no task 'nowhere'"),
        ("{ in: [1], do: [] }", "must have at least 1 element"),
        ("{ in: [1], do: [{ a: { set: '${ .b. }' } }] }", "expected"),
    ])
    func `what is wrong in the tasks of a call is found`(with: String, message: String) throws {
        let tasks = """
            - loop:
                for: { each: x, in: '${ [1] }' }
                do: [{ each: { call: forEach, with: \(with) } }]
            """
        let found: [Diagnostic]
        do {
            let workflow = try Workflow(tasks: tasks)
            found = workflow.validate(with: Catalog.default)
        } catch let error as InvalidWorkflow {
            found = error.diagnostics
        }
        #expect(found.contains { $0.message.contains(message) }, "\(found.map(\.message))")
    }

    @Test func `lays an item over the input, and gives one that is no object as 'item'`() async throws {
        let folder = try Self.folder("- a: { set: '${ . }' }")
        let outer = try Self.outer(folder, in: "[{ a: 1 }, 7]", ", input: { a: 0, b: 2 }, key: '.a? // .'")
        #expect(
            try await Runner.testing().run(outer).value["completed"] == [
                ["key": 1, "output": ["a": 1, "b": 2]], ["key": 7, "output": ["a": 0, "b": 2, "item": 7]],
            ])
    }

    @Test func `a failure stops the others, and the error says whose it is and keeps its type`() async throws {
        let folder = try Self.folder(Self.picky)
        let log = EventLog()
        let outer = try Self.outer(folder, in: "[{ x: 1, id: a }, { x: 10, id: b }, { x: 2, id: c }]", ", key: .id")
        let error = await Self.error(outer, by: .testing(recorders: [log.recorder]))
        #expect(error?.type == "https://example.com/big")
        #expect(error?.status == 418)
        #expect(error?.instance == "/do/0/each")
        #expect(error?.detail == #"item 2 of 3, "b": in 'tests/inner:1.0.0', /do/0/a: too big"#)
        #expect(error?.members["item"] == ["index": 1, "key": "b"])
        #expect(log.events.filter { $0.type.hasSuffix("workflow.started.v1") }.count == 3)
    }

    @Test func `those at work when another one fails end before the task fails`() async throws {
        let (log, clock) = (EventLog(), ManualClock())
        let failing = try Self.folder(
            "- a: { if: '${ .x == 0 }', raise: { error: { type: 'https://a.com/no', status: 400 } } }\n"
                + "- b: { wait: { seconds: 5 } }")
        let run = Runner.testing(clock: clock, recorders: [log.recorder])
            .run(try Self.outer(failing, in: "[{ x: 3 }, { x: 0 }, { x: 4 }]", ", concurrency: 2"))
        while clock.waitCount < 1 || !log.summary.contains("workflow.faulted") { await pause() }
        #expect(run.isPending)
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: WorkflowError.self) { try await run.value }
        #expect(error?.detail?.hasPrefix("item 2 of 3: ") == true)
        #expect(log.summary.filter { $0 == "workflow.completed" }.count == 1)
        #expect(log.summary.filter { $0 == "workflow.started" }.count == 3)
    }

    @Test func `goes on after failures if it is to, and collects them`() async throws {
        let folder = try Self.folder(Self.picky, rest: Self.schema)
        let outer = try Self.outer(
            folder, in: "[{ x: 1 }, { x: 10 }, { x: no }, { x: 2 }]", ", key: .x, onFailure: continue, concurrency: 2")
        let output = try await Runner.testing().run(outer).value
        #expect(
            output["completed"] == [["key": 1, "output": ["y": 2]], ["key": 2, "output": ["y": 3]]])
        let failed = try #require(output["failed"]?.array)
        #expect(failed.map { $0["key"] } == [10, "no"])
        #expect(failed.first?["error"]?["type"] == "https://example.com/big")
        #expect(failed.first?["error"]?["detail"] == "in 'tests/inner:1.0.0', /do/0/a: too big")
        #expect(failed.last?["error"]?["status"] == 400)
    }

    @Test func `two items of one key are an error that names both, before anything runs`() async throws {
        let folder = try Self.folder("- a: { set: { y: 1 } }")
        for (items, more, detail) in [
            ("[{ id: a }, { id: b }, { id: a }]", ", key: .id", #"items 1 and 3 of 'in' have the same key: "a""#),
            ("[1, 2, 2]", ", onFailure: continue", "items 2 and 3 of 'in' have the same key: 2"),
        ] {
            let log = EventLog()
            let error = await Self.error(
                try Self.outer(folder, in: items, more), by: .testing(recorders: [log.recorder]))
            #expect(error?.detail == detail)
            #expect(error?.is(.validation) == true)
            #expect(!log.events.contains { $0.parent != nil })
        }
    }

    @Test func `inputs are validated before the first item begins, if a failure stops the others`() async throws {
        let folder = try Self.folder(Self.picky, rest: Self.schema)
        let log = EventLog()
        let outer = try Self.outer(folder, in: "[{ x: 1 }, { x: no }]")
        let error = await Self.error(outer, by: .testing(recorders: [log.recorder]))
        #expect(
            error?.detail == "item 2 of 2: of 'tests/inner:1.0.0': the input's 'x' must be a number, but is a string")
        #expect(!log.events.contains { $0.parent != nil })
    }

    @Test(arguments: [(1, ""), (3, ", concurrency: 3"), (4, ", concurrency: '${ 2 * 2 }'")])
    func `as many items are at work as it says`(most: Int, more: String) async throws {
        let folder = try Self.folder("- a: { wait: PT1S }")
        let clock = ManualClock()
        let run = Runner.testing(clock: clock).run(try Self.outer(folder, in: "'${ [range(10)] }'", more))
        var waits = 0
        while run.isPending {
            while clock.waitCount < min(most, 10 - waits), run.isPending { await pause() }
            #expect(clock.waitCount <= most)
            waits += clock.waitCount
            clock.advance(by: .seconds(1))
            while clock.waitCount == 0, run.isPending, waits < 10 { await pause() }
            if waits >= 10 { break }
        }
        #expect(try await run.value["completed"]?.array?.count == 10)
    }

    @Test(arguments: [
        ("concurrency: 0", "arguments"), ("concurrency: 101", "arguments"), ("concurrency: 1.5", "arguments"),
        ("onFailure: continu", "arguments"), ("key: '.a | ascii_downcas'", "expression"), ("key: '.a |'", "expression"),
        ("key: '.a + $item.b'", "expression"), ("key: '${ .a }'", "computed-argument"),
        ("onFailure: '${ .a }'", "computed-argument"), ("keys: .a", "arguments"),
    ])
    func `a wrong argument is a finding at its place`(argument: String, id: String) throws {
        let folder = try Self.folder("- a: { set: { y: 1 } }")
        let findings = try Self.outer(folder, in: "[1]", ", \(argument)").validate()
        #expect(findings.map(\.id) == [id])
        let place = try #require(findings.first?.range?.start)
        #expect(place.line == 6)
        #expect(place.column > 80)
    }

    @Test func `a finding about a wrong word or name says what was meant`() throws {
        let folder = try Self.folder("- a: { set: { y: 1 } }")
        func hint(_ workflow: Workflow) -> String? { workflow.validate().first?.hint }
        #expect(hint(try Self.outer(folder, in: "[1]", ", onFailure: continu")) == "did you mean 'continue'?")
        #expect(hint(try Self.outer(folder, in: "[1]", version: "2.0.0")) == "there is version '1.0.0'")
        let misspelled = Self.call(in: "[1]").replacing("inner", with: "iner")
        let unknown = try Workflow(tasks: misspelled, folder: folder.url).validate()
        #expect(unknown.map(\.id) == ["unknown-workflow"])
        #expect(unknown.first?.hint == "did you mean 'tests/inner:1.0.0'?")
        #expect(unknown.first?.range?.start.line == 6)
        let computed = Self.call(in: "[1]").replacing("name: inner", with: "name: '${ .name }'")
        #expect(try Workflow(tasks: computed, folder: folder.url).validate().map(\.id).contains("computed-argument"))
    }

    @Test func `the findings of its workflow are found as well`() throws {
        let folder = try Self.folder("- a: { call: photoo }")
        #expect(try Self.outer(folder, in: "[1]").validate().map(\.id) == ["unknown-function"])
    }

    @Test func `cancelling reaches the items at work`() async throws {
        let folder = try Self.folder("- a: { wait: PT1H }")
        let (log, clock) = (EventLog(), ManualClock())
        let run = Runner.testing(clock: clock, recorders: [log.recorder])
            .run(try Self.outer(folder, in: "[1, 2, 3]", ", concurrency: 2, onFailure: continue"))
        while clock.waitCount < 2 { await pause() }
        run.cancel()
        await clock.allEnded()
        while log.summary.count(where: { $0 == "workflow.cancelled" }) < 3 { await pause() }
        #expect(log.summary.filter { $0 == "workflow.started" }.count == 3)
    }

    @Test func `a timeout interrupts the items at work, and a mail on its way makes the outcome unknown`() async throws
    {
        let folder = try Self.folder("- m: { call: endless }")
        for (effect, kind) in [(Idempotency.read, WorkflowError.Kind.timeout), (.once, .unknownOutcome)] {
            let clock = ManualClock()
            let began = Promise<Void>.pending()
            let endless = Promise<Value>.pending()
            let runner = Runner.testing(clock: clock) { catalog in
                catalog.register("endless", effect: effect) { _, _ in
                    began.resolver.fulfill(())
                    return endless.promise
                }
            }
            let run = runner.run(try Self.outer(folder, in: "[1, 2]", after: "\n    timeout: { after: PT5S }"))
            try await began.promise.value
            clock.advance(by: .seconds(5))
            let error = await #expect(throws: WorkflowError.self) { try await run.value }
            #expect(error?.is(kind) == true)
        }
    }

    @Test func `workflows that run themselves for each item are ended by an error`() async throws {
        let folder = try Self.folder(Self.call(in: "[1]"))
        let error = await Self.error(try Self.outer(folder, in: "[1]"))
        #expect(error?.is(.runtime) == true)
        #expect(error?.detail?.contains("runs itself endlessly") == true)
        let wide = try Self.folder(Self.call(in: "'${ [range(.n // 3)] }'", ", onFailure: continue, concurrency: 3"))
        var runner = Runner.testing()
        runner.mostRecursiveRuns = 200
        let output = try? await runner.run(try Self.outer(wide, in: "[1]")).value
        #expect(output?["completed"]?.array?.count == 1)
    }

    @Test(arguments: 0..<20)
    func `gives what a loop gives that runs the workflow in its rounds, if nothing fails`(seed: UInt64) async throws {
        var random = SystemRandomNumberGenerator()
        let items = (0..<Int(seed % 7)).map { index in
            Value.object(["x": .integer(Int.random(in: 0..<10, using: &random)), "n": .integer(index)])
        }
        let folder = try Self.folder("- mark: { if: '${ .x > 4 }', set: '${ . + { big: true } }' }\n" + Self.picky)
        let loop = try Workflow(
            tasks: """
                - start: { set: '${ [] }' }
                - each:
                    for: { in: "${ $workflow.input.items }" }
                    do:
                      - one:
                          run:
                            workflow:
                              namespace: tests
                              name: inner
                              version: 1.0.0
                              input: { c: 1, x: "${ $item.x }", n: "${ $item.n }" }
                          output: { as: "${ $task.input + [.] }" }
                """, folder: folder.url)
        let outer = try Self.outer(folder, in: "'${ .items }'", ", input: { c: 1 }, key: .n")
        let wanted = try await Runner.testing().run(loop, input: ["items": .array(items)]).value
        let output = try await Runner.testing().run(outer, input: ["items": .array(items)]).value
        #expect(output["completed"]?.array?.map { $0["output"] ?? .null } == wanted.array)
        #expect(output["completed"]?.array?.map { $0["key"] } == items.map { $0["n"] })
    }
}
