import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// Plans of `forEach`, and runs of approved ones.
@Suite struct ForEachPlanTests {
    private static func workflow(
        in items: String, _ more: String = "", inner: String = mail, before: String = "", after: String = "",
        folder: TemporaryFolder, isInline: Bool = false
    ) throws -> Workflow {
        let indented = inner.split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)" }
        try folder.write(
            "inner.yaml",
            """
            document: { dsl: 1.0.3, namespace: tests, name: inner, version: 1.0.0 }
            do:
            \(indented.joined(separator: "\n"))
            """)
        let body =
            isInline
            ? "do: [\(inner.split(separator: "\n").map { "{ \($0.dropFirst(2)) }" }.joined(separator: ", "))]"
            : "workflow: { namespace: tests, name: inner, version: 1.0.0 }"
        return try Workflow(
            tasks: """
                \(before)
                - each:
                    call: forEach
                    with: { in: \(items), \(body)\(more) }
                \(after)
                """, folder: folder.url)
    }

    private static let mail = """
        - look: { call: me, with: { user: '${ .user }' }, output: { as: '${ $input + { name: .displayName } }' } }
        - mail: { call: sendMail, with: { to: '${ .user }', subject: Hello, body: '${ .name }' } }
        """
    private static let users =
        "[{ user: adelev@contoso.com }, { user: alexw@contoso.com }, { user: megan@contoso.com }]"

    private static func runner(_ sandbox: Sandbox = Sandbox()) -> Runner { Runner.testing(sandbox: sandbox) }

    private static func approved(_ workflow: Workflow, _ sandbox: Sandbox) async throws -> ApprovedPlan {
        try ApprovedPlan(ApprovedPlan(try await runner(sandbox).plan(workflow).value).value)
    }

    @Test func `every item of a known list is in the plan, with its recipients`() async throws {
        let folder = try TemporaryFolder()
        let plan = try await Self.runner().plan(try Self.workflow(in: Self.users, ", key: .user", folder: folder)).value
        let task = try #require(plan.tasks.first)
        #expect(task.subject == "forEach tests/inner:1.0.0")
        #expect(task.branches.map(\.kind) == [.item, .item, .item])
        #expect(task.branches.first?.title == #"1 of 3, "adelev@contoso.com""#)
        #expect(task.branches.allSatisfy { $0.certainty == .certain })
        #expect(plan.isComplete)
        let text = plan.value.json()
        for user in ["adelev", "alexw", "megan"] { #expect(text.contains("\(user)@contoso.com")) }
        #expect(plan.effects.filter { $0.isOnce && $0.count == .one }.count == 3)
    }

    @Test func `an unknown list is one item that says so`() async throws {
        let folder = try TemporaryFolder()
        let workflow = try Self.workflow(
            in: "'${ map({ user: .mail }) }'", before: "- find: { call: users, with: { startsWith: A } }",
            after: "- count: { set: { sent: '${ .completed | length }', keys: '${ .completed | map(.key) }' } }",
            folder: folder)
        let plan = try await Self.runner().plan(workflow).value
        let task = try #require(plan.tasks.dropFirst().first)
        #expect(task.branches.map(\.certainty) == [.each("${ map({ user: .mail }) }")])
        #expect(task.branches.first?.tasks.count == 2)
        #expect(plan.isComplete)
        #expect(plan.output.json().contains("‹count.sent›") == true)
    }

    @Test func `what may fail is not known to have completed`() async throws {
        let folder = try TemporaryFolder()
        let workflow = try Self.workflow(
            in: Self.users, ", onFailure: continue, concurrency: 2",
            after: """
                - tell:
                    if: ${ .failed | length > 0 }
                    call: sendMail
                    with: { to: megan@contoso.com, subject: Failures, body: '${ .failed | map(.key.user) | join(", ") }' }
                """, folder: folder)
        let plan = try await Self.runner().plan(workflow).value
        #expect(plan.tasks.last?.certainty != .certain)
        #expect(plan.isComplete)
    }

    @Test func `an item that fails in the plan stops the others, or does not`() async throws {
        let folder = try TemporaryFolder()
        let inner = """
            - a: { if: '${ .x == 2 }', raise: { error: { type: 'https://a.com/no', status: 400 } } }
            - b: { set: { y: 1 } }
            """
        func workflow(_ more: String) throws -> Workflow {
            try Self.workflow(in: "[{ x: 1 }, { x: 2 }, { x: 3 }]", more, inner: inner, folder: folder)
        }
        func plan(_ more: String) async throws -> PlannedTask? {
            let each = try workflow(more).document.value["do"]?[0] ?? .null
            let attempt: Value = ["attempt": ["try": [each], "catch": [:]]]
            let workflow = try Workflow(tasks: "- \(attempt.json())", folder: folder.url)
            return try await Self.runner().plan(workflow).value.allTasks.first { $0.name == "each" }
        }
        let stopped = try #require(try await plan(""))
        #expect(stopped.branches.count == 2)
        if case .faulted(let error) = stopped.outcome {
            #expect(error.detail?.hasPrefix("item 2 of 3: ") == true)
        } else {
            Issue.record("the task ends in the plan with \(stopped.outcome)")
        }
        let concurrent = try #require(try await plan(", concurrency: 2"))
        #expect(concurrent.branches.map(\.certainty) == [.certain, .certain, .loop("no item has failed")])
        let output = try await Self.runner().plan(try workflow(", onFailure: continue")).value.output
        #expect(output["completed"]?.array?.count == 2)
        #expect(output["failed"]?.array?.map { $0["key"] } == [["x": 2]])
    }

    @Test(
        arguments: [
            (users, "", ""), (users, ", concurrency: 3", ""),
            (users, ", concurrency: 2, onFailure: continue, key: .user", ""),
            (
                "[{ user: adelev@contoso.com }, { user: nobody@contoso.com }, { user: megan@contoso.com }]",
                ", concurrency: 2, onFailure: continue", ""
            ), ("'${ map({ user: .mail }) }'", ", concurrency: 2", "- find: { call: users, with: { startsWith: A } }"),
            (
                "'${ map({ user: .mail }) + [{ user: \"nobody@contoso.com\" }] }'",
                ", concurrency: 3, onFailure: continue",
                "- find: { call: users, with: { startsWith: M } }"
            ),
        ] as [(String, String, String)], [false, true])
    func `an unaltered run of an approved plan is not refused, whatever comes first`(
        list: (items: String, more: String, before: String), isInline: Bool
    ) async throws {
        let folder = try TemporaryFolder()
        let workflow = try Self.workflow(
            in: list.items, list.more, before: list.before,
            after: """
                - last:
                    call: sendMail
                    with: { to: megan@contoso.com, subject: Done, body: '${ .completed | map(.key.user? // .key) | join(", ") }' }
                """, folder: folder, isInline: isInline)
        let sandbox = Sandbox()
        let plan = try await Self.approved(workflow, sandbox)
        for _ in 0..<5 {
            let sandbox = Sandbox()
            _ = try await Self.runner(sandbox).run(workflow, as: plan).value
            #expect(sandbox.outbox.count >= 3)
        }
    }

    @Test func `a run with an altered item is refused before it is sent`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("list.json", #"[{ "user": "adelev@contoso.com" }, { "user": "megan@contoso.com" }]"#)
        let workflow = try Self.workflow(
            in: "'${ . }'", ", concurrency: 2, onFailure: continue",
            before: "- read: { call: readFile, with: { file: list.json } }", folder: folder)
        let sandbox = Sandbox()
        let plan = try await Self.approved(workflow, sandbox)
        try folder.write("list.json", #"[{ "user": "adelev@contoso.com" }, { "user": "alexw@contoso.com" }]"#)
        await #expect(throws: (any Error).self) { try await Self.runner(sandbox).run(workflow, as: plan).value }
        #expect(sandbox.outbox.isEmpty)
    }

    @Test func `a run whose workflow for the items has changed is refused`() async throws {
        let folder = try TemporaryFolder()
        let workflow = try Self.workflow(in: Self.users, folder: folder)
        let sandbox = Sandbox()
        let plan = try await Self.approved(workflow, sandbox)
        _ = try Self.workflow(
            in: Self.users, inner: Self.mail.replacing("Hello", with: "Pay"), folder: folder)
        await #expect(throws: (any Error).self) { try await Self.runner(sandbox).run(workflow, as: plan).value }
        #expect(sandbox.outbox.isEmpty)
    }
}
