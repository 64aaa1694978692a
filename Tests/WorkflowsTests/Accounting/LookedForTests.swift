import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// With `--undoable`, a run looks before its request for what only that can tell.
@Suite struct LookedForTests {
    private static let lost = ["", "drop processed", "drop processed x2", "503 processed", "504 processed"]
    private static let team = "02bd9fd6-8f93-4758-87c3-1fb73740a315"
    private static let person = "lynner@contoso.com"
    private static let members = [
        "- a: { call: addToGroup, with: { group: \(team), user: lynner@contoso.com } }",
        "- a: { call: addToGroup, with: { group: \(team.uppercased()), user: LynneR@contoso.com } }",
    ]
    private static let links = [
        """
        - link:
            call: graph
            with:
              method: POST
              path: '/me/drive/root:/ä %2520.txt:/createLink'
              body: { type: view, scope: organization }
              effect: idempotent
        """,
        """
        - item: { call: graph, with: { path: '/me/drive/root:/ä %2520.txt' } }
        - link: { call: createLink, with: { itemId: '${ .id }', scope: organization } }
        """,
    ]

    /// A run whose first answer may be lost, and what its undo leaves.
    private static func trial(
        _ tasks: String, _ requests: String, _ fault: String, endingAfter count: Int = .max, isThere: Bool
    ) async throws -> (account: [AccountedEffect], undone: Value?, differences: [String]) {
        let faults = fault.isEmpty ? [] : ["\(requests) \(fault) after=\(isThere ? 1 : 0)"]
        let sandbox = UndoTrial.sandbox(try faults.map { try Sandbox.Fault(parsing: $0) })
        let file = "- file: { call: upload, with: { path: 'ä %20.txt', content: x } }"
        _ = try await UndoTrial.run(try Workflow(tasks: file), [:], endingAfter: .max, in: sandbox)
        let workflow = try Workflow(tasks: tasks)
        if isThere { _ = try await UndoTrial.run(workflow, [:], endingAfter: .max, in: sandbox) }
        let (before, kept) = (sandbox.snapshot, BeforeImages())
        let done = try await UndoTrial.run(workflow, [:], endingAfter: count, in: sandbox, keepingIn: kept)
        let undone = try await UndoTrial.run(
            try Undo.workflow(), try UndoTrial.undo(done.events, kept), endingAfter: .max, in: sandbox, undoing: kept)
        return (UndoTrial.account(done.events), undone.output, UndoTrial.differences(sandbox, before))
    }

    @Test(arguments: lost, members)
    func `who was a member before the run stays one, and is no effect of it`(fault: String, tasks: String) async throws
    {
        let there = try await Self.trial(tasks, "POST */members/*", fault, isThere: true)
        #expect(there.account.isEmpty && there.undone?["undone"] == 0 && there.differences == [])
        let added = try await Self.trial(tasks, "POST */members/*", fault, isThere: false)
        #expect(added.account.map(\.state) == [.done] && added.undone?["undone"] == 1 && added.differences == [])
    }

    @Test(arguments: lost, links)
    func `a link that was there before the run stays, and one that the run made goes`(
        fault: String, tasks: String
    ) async throws {
        for isThere in [true, false] {
            let trial = try await Self.trial(tasks, "POST *createLink", fault, isThere: isThere)
            #expect(trial.account.map(\.state) == [.done] && (trial.account[0].effect.object?.path == nil) == isThere)
            #expect(trial.undone?["undone"] == 1 && trial.undone?["left"] == [] && trial.differences == [])
        }
    }

    @Test(arguments: [true, false], 3...14)
    func `a process that ends knows afterwards what was there before it`(isThere: Bool, count: Int) async throws {
        for (tasks, requests) in [(Self.members[0], "POST */members/*"), (Self.links[1], "POST *createLink")] {
            let trial = try await Self.trial(tasks, requests, "", endingAfter: count, isThere: isThere)
            #expect(trial.undone?["left"] == [] && trial.differences == [], "\(trial.account.map(\.effect.summary))")
        }
    }

    @Test func `who may not read the memberships of a person is told nothing, and the run goes on as without`()
        async throws
    {
        let sandbox = UndoTrial.sandbox([try Sandbox.Fault(parsing: "GET *memberOf* 403 x9")])
        let done = try await UndoTrial.run(
            try Workflow(tasks: Self.members[0]), [:], endingAfter: .max, in: sandbox, keepingIn: BeforeImages())
        #expect(UndoTrial.account(done.events).map(\.state) == [.done])
    }

    @Test func `an approved run looks as its plan says`() async throws {
        let sandbox = UndoTrial.sandbox()
        let file = "- file: { call: upload, with: { path: 'ä %20.txt', content: x } }"
        _ = try await UndoTrial.run(try Workflow(tasks: file), [:], endingAfter: .max, in: sandbox)
        let change =
            "- change: { call: graph, with: { method: PATCH, path: /users/\(Self.person), body: { city: c } } }"
        let workflow = try Workflow(tasks: [change, Self.links[0], Self.members[0]].joined(separator: "\n"))
        for mode in [Plan.Mode.dry, .read] {
            var runner = UndoTrial.runner(sandbox)
            (runner.before, runner.access.undoable) = (BeforeImages(), .seconds(100))
            let plan = try await runner.plan(workflow, mode: mode).value
            let looks = plan.requests.filter { $0.operation.name == "keep" }.map(\.address)
            #expect(
                looks.contains { $0.hasSuffix("/users/\(Self.person)/memberOf/\(Self.team)?$select=id") }, "\(looks)")
            #expect(looks.contains { $0.hasSuffix(":/permissions?$select=id") }, "\(looks)")
            _ = try await runner.run(workflow, as: ApprovedPlan(plan)).value
        }
    }

    /// Stores texts without spaces around them, as services do with some properties.
    private struct TrimmingTransport: HTTPTransport {
        let inner: any HTTPTransport

        func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
            var request = request
            if request.method == "PATCH", let body = request.body, let value = try? Value(json: body) {
                let stored = (value.object ?? [:]).mapValues { member in
                    member.string.map { .string($0.trimmingCharacters(in: .whitespaces)) } ?? member
                }
                request.body = Value.object(stored).jsonData()
            }
            return inner.send(request, for: operation)
        }
    }

    private static func changed(_ title: String, then theirs: String?) async throws -> (left: [Value], title: String?) {
        let (sandbox, kept, log) = (UndoTrial.sandbox(), BeforeImages(), EventLog())
        var runner = UndoTrial.runner(sandbox)
        runner.graph.transport = TrimmingTransport(inner: runner.graph.transport)
        runner.recorders = [log.recorder]
        (runner.before, runner.access.undoable) = (kept, .seconds(100))
        let change =
            "- a: { call: graph, with: { method: PATCH, path: /users/\(person), body: { jobTitle: '\(title)' } } }"
        _ = try await runner.run(try Workflow(tasks: change)).value
        if let theirs {
            let other = change.replacing(title, with: theirs)
            _ = try await UndoTrial.runner(sandbox).run(try Workflow(tasks: other)).value
        }
        let undone = try await UndoTrial.run(
            try Undo.workflow(), try UndoTrial.undo(log.events, kept), endingAfter: .max, in: sandbox, undoing: kept)
        let read = "- a: { call: graph, with: { path: '/users/\(person)?$select=jobTitle' } }"
        let now = try await UndoTrial.runner(sandbox).run(try Workflow(tasks: read)).value
        return (undone.output?["left"]?.array ?? [], now["jobTitle"]?.string)
    }

    @Test func `a value that the service writes in another form is the run's own`() async throws {
        let own = try await Self.changed("  Head ü ", then: nil)
        #expect(own.left == [] && own.title != "Head ü" && own.title != nil)
        let theirs = try await Self.changed("  Head ü ", then: "Theirs")
        #expect(theirs.left.map { $0["state"] } == ["changed"] && theirs.title == "Theirs")
    }

    @Test func `what the service makes of a secret is in no journal`() async throws {
        let log = EventLog()
        var runner = UndoTrial.runner(UndoTrial.sandbox())
        runner.graph.transport = TrimmingTransport(inner: runner.graph.transport)
        runner.recorders = [log.recorder]
        runner.secrets = .values(["key": SecretValue("  PassW0rd ")])
        (runner.before, runner.access.undoable) = (BeforeImages(), .seconds(100))
        let body = "{ jobTitle: '${ $secrets.key }', city: ' c ' }"
        let change = "- a: { call: graph, with: { method: PATCH, path: /users/\(Self.person), body: \(body) } }"
        _ = try await runner.run(try Workflow(tasks: change, rest: "use: { secrets: [key] }")).value
        let account = UndoTrial.account(log.events)
        #expect(account.first?.effect.objectChange?.properties?.keys == ["jobTitle", "city"])
        #expect(!account.contains { $0.effect.value.json().contains("PassW0rd") })
    }
}
