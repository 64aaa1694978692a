import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// Workflows that take back what a `try` did, in its `catch`.
@Suite(.serialized) struct SagaTests {
    /// A `try` over tasks that succeed, and fails at its end.
    private static func saga(
        _ tasks: String, undo: String = "call: undo", retry: String = "", rest: String = ""
    ) throws -> Workflow {
        let lines = tasks.split(separator: "\n").map { "      \($0)" }.joined(separator: "\n")
        return try Workflow(
            tasks: """
                - saga:
                    try:
                \(lines)
                      - broken:
                          raise: { error: { type: https://contoso.com/broken, status: 500, title: broken } }
                    catch:
                      \(retry)
                      do:
                        - back:
                            \(undo)
                """, rest: rest)
    }

    /// Tasks of every kind that `undo` takes back.
    private static let all = """
        \(UndoTrial.tasks)
        - title:
            call: graph
            with: { method: PATCH, path: /users/adelev@contoso.com, body: { jobTitle: '50 % "‹x›" 😀' } }
        """

    @Test(.timeLimit(.minutes(60)))
    func `a saga whose process ends after any event takes everything back, and does nothing twice`() async throws {
        let workflow = try Self.saga(Self.all)
        let whole = try await UndoTrial.run(
            workflow, [:], endingAfter: .max, in: UndoTrial.sandbox(), keepingIn: BeforeImages())
        #expect(whole.output?["undone"]?.array?.count == 7 && whole.output?["left"] == [])
        for count in stride(from: 1, through: whole.events.count, by: Extent.of(1, or: 3)) {
            let (sandbox, kept) = (UndoTrial.sandbox(), BeforeImages())
            let before = sandbox.snapshot
            let done = try await UndoTrial.run(workflow, [:], endingAfter: count, in: sandbox, keepingIn: kept)
            #expect(done.output?["left"] == [], "after event \(count): \(done.output?.json() ?? "")")
            #expect(UndoTrial.differences(sandbox, before) == [], "after event \(count)")
            // Nothing is left to be taken back.
            var account = EffectAccount()
            for event in done.events { account.take(event) }
            #expect(account.effects(isAtWork: false).allSatisfy { $0.state == .undone }, "after event \(count)")
        }
    }

    @Test(arguments: [
        "POST /me/drive/items/*/createLink 403", "PUT /* 507", "PATCH /users/* 403", "POST /groups/* 403",
        "DELETE /* drop processed x2", "GET /* 503 x2", "DELETE /* 429 x2 retry-after=1", "* /* truncate x1",
    ])
    func `what was done before a refused request, and through faults, is taken back`(fault: String) async throws {
        let sandbox = UndoTrial.sandbox([try Sandbox.Fault(parsing: fault)])
        let before = sandbox.snapshot
        let done = try await UndoTrial.run(
            try Self.saga(Self.all), [:], endingAfter: .max, in: sandbox, keepingIn: BeforeImages())
        #expect(done.output?["left"] == [])
        #expect(UndoTrial.differences(sandbox, before) == [])
    }

    @Test func `only the named tasks are taken back, in inner runs, loops and functions as well`() async throws {
        let tasks = """
            - kept: { call: upload, with: { path: kept.txt, content: x } }
            - loop:
                for: { in: '${ ["a b", "ü%"] }', each: name }
                do:
                  - made: { call: upload, with: { path: '${ "loop/" + $name }', content: x } }
            - items:
                call: forEach
                with:
                  in: ['1/x', '2 "y"']
                  do:
                    - made: { call: createFolder, with: { name: '${ "d" + (.index // 0 | tostring) + (.item | @base64 | gsub("=";"")) }' } }
            - called: { call: makeFile }
            - retried:
                try:
                  - made: { call: upload, with: { path: tried.txt, content: x } }
                  - again: { raise: { error: { type: https://contoso.com/again, status: 503, title: again } } }
                catch: { retry: { limit: { attempt: { count: 2 } } }, do: [ { on: { set: { a: 1 } } } ] }
            """
        let function = """
            use:
              functions:
                makeFile:
                  do:
                    - made: { call: upload, with: { path: function.txt, content: x } }
            """
        let sandbox = UndoTrial.sandbox()
        let before = sandbox.snapshot
        let output = try await UndoTrial.runner(sandbox).run(
            try Self.saga(
                tasks, undo: "call: undo\n            with: { tasks: [loop, items, called, retried] }", rest: function)
        ).value
        #expect(output["left"] == [])
        let left = UndoTrial.differences(sandbox, before)
        // The folder that an upload made on its way stays.
        #expect(left.count == 2 && left.contains { $0.contains("kept.txt") }, "\(left)")
    }

    @Test func `each round takes back its own`() async throws {
        let workflow = try Workflow(
            tasks: """
                - each:
                    for: { in: '${ ["a", "b", "c"] }', each: name }
                    do:
                      - saga:
                          try:
                            - file: { call: upload, with: { path: '${ $name }', content: x } }
                            - check:
                                if: ${ $name == "b" }
                                raise: { error: { type: https://contoso.com/b, status: 500, title: b } }
                          catch:
                            do:
                              - back: { call: undo }
                """)
        let sandbox = UndoTrial.sandbox()
        let before = sandbox.snapshot
        _ = try await UndoTrial.runner(sandbox).run(workflow).value
        let left = UndoTrial.differences(sandbox, before)
        #expect(left.count == 2 && !left.contains { $0.contains(" b ") }, "\(left)")
    }

    @Test func `what others have changed since stays, and is said`() async throws {
        let sandbox = UndoTrial.sandbox()
        let others = UndoTrial.runner(sandbox)
        var runner = UndoTrial.runner(sandbox)
        runner.catalog.register(
            Function(name: "interfere") { _, _ in
                others.run(try Workflow(tasks: "- x: { call: upload, with: { path: a.txt, content: theirs } }"))
            })
        let tasks = """
            - file: { call: upload, with: { path: a.txt, content: x } }
            - other: { call: interfere }
            """
        let output = try await runner.run(try Self.saga(tasks)).value
        #expect(output["undone"] == [] && output["left"]?[0]?["state"] == "changed", "\(output.json())")
        let forced = try await runner.run(
            try Self.saga(
                tasks.replacing("a.txt", with: "b.txt"), undo: "call: undo\n            with: { force: true }")
        ).value
        #expect(forced["left"] == [])
    }

    @Test func `an approved run takes back what it did, and nothing else`() async throws {
        let workflow = try Self.saga(Self.all)
        let sandbox = UndoTrial.sandbox()
        let before = sandbox.snapshot
        let runner = UndoTrial.runner(sandbox)
        let plan = try await runner.plan(workflow).value
        let approved = ApprovedPlan(plan)
        #expect(plan.gaps == [])
        let words = plan.effects.map(\.summary).filter { $0.hasPrefix("takes back: ") }
        #expect(words.count == 6, "\(words)")
        let output = try await runner.run(workflow, as: approved).value
        #expect(output["left"]?.array?.count == 1)
        let left = UndoTrial.differences(sandbox, before)
        #expect(left.count == 2, "only the former title is not known: \(left)")
    }

    @Test func `undo is called in a catch, and names tasks of its try`() throws {
        let findings = try Workflow(
            tasks: """
                - outside: { call: undo }
                - catch:
                    do:
                      - inside: { call: undo }
                - saga:
                    try:
                      - grün: { call: me }
                      - catch: { set: { a: 1 } }
                    catch:
                      do:
                        - one: { call: undo, with: { tasks: [gruen, grün, catch] } }
                        - deep: { do: [ { two: { call: undo, with: { tasks: [ '${ "a" }' ] } } } ] }
                        - called: { call: mine }
                """, rest: "use: { functions: { mine: { call: undo } } }"
        ).validate()
        #expect(findings.map(\.id) == ["undo-outside", "undo-outside", "untried-task"], "\(findings)")
    }

    @Test func `a function of the workflow outside of a catch cannot take anything back`() async throws {
        let workflow = try Workflow(
            tasks: "- a: { call: mine }", rest: "use: { functions: { mine: { call: undo } } }")
        await #expect(throws: WorkflowError.self) {
            try await UndoTrial.runner(UndoTrial.sandbox()).run(workflow).value
        }
    }
}
