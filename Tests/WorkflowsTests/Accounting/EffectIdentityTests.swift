import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// An effect has an identity from its record before the request on, whatever ends its process.
@Suite struct EffectIdentityTests {
    private static let team = "02bd9fd6-8f93-4758-87c3-1fb73740a315"
    private static let tasks = [
        "- a: { call: addToGroup, with: { group: \(team), user: lynner@contoso.com } }",
        "- a: { call: createFolder, with: { name: 'ä 😀 100 %' } }",
        "- a: { call: upload, with: { path: 'ä %20.txt', content: x } }",
        "- a: { call: graph, with: { method: PATCH, path: /groups/\(team), body: { description: 'ü ‹x›' } }}",
        "- a: { call: sendMail, with: { to: [lynner@contoso.com], subject: s, body: b } }",
        "- a: { call: graph, with: { method: DELETE, path: /users/lynner@contoso.com } }",
        "- a: { call: graph, with: { method: PATCH, path: /users/lynner@contoso.com, body: { jobTitle: null } } }",
    ]

    @Test(arguments: tasks)
    func `an effect is recorded before its request, and settled by the next process`(task: String) async throws {
        let workflow = try Workflow(tasks: task)
        let whole = try await UndoTrial.run(workflow, [:], endingAfter: .max, in: UndoTrial.sandbox()).events
        let begin = try #require(
            whole.firstIndex { event in
                if case .request(_, let request) = event.kind, case .effect(_, .begun) = request.kind {
                    true
                } else {
                    false
                }
            })
        let identity = whole[begin].id
        let (sandbox, first, blobs) = (UndoTrial.sandbox(), CrashingRun(endingAfter: begin + 1), BlobStore())
        _ = try await first.run(workflow, input: [:], by: UndoTrial.runner(sandbox), blobs: blobs)
        let cut = UndoTrial.account(first.events)
        #expect(cut.map(\.state) == [.unknown] && cut.map(\.effect.identity).count == 1)
        var runner = UndoTrial.runner(sandbox)
        runner.graph.gate = RequestGate()
        let second = CrashingRun(events: first.events)
        _ = try? await second.resume(workflow, input: [:], by: runner, blobs: blobs)
        let account = UndoTrial.account(second.events)
        #expect(account.map(\.effect.identity) == cut.map(\.effect.identity))
        #expect(account.map(\.state) == [.done])
        #expect(UndoTrial.account(whole).map(\.effect.identity) == [identity])
    }

    @Test func `a chain learns what may have happened`() async throws {
        let sandbox = UndoTrial.sandbox([try Sandbox.Fault(parsing: "POST */members/* drop processed x9")])
        let states = Locked<[Effect.State]>([])
        let graph = GraphClient(
            credential: .fixed(AccessToken(sandbox.accessToken)), baseURL: Sandbox.baseURL,
            transport: sandbox.transport, clock: SkippingClock(), gate: RequestGate(),
            onEvent: { event in
                if case .effect(_, let state) = event.kind { states.withLock { $0.append(state) } }
            })
        // The repetitions are lost as well: none of them says what became of the first.
        _ = try? await graph.add(user: "lynner@contoso.com", toGroup: Self.team).value
        #expect(states.withLock(\.self) == [.unknown])
    }

    @Test func `each effect of one request is accounted`() async throws {
        let people = ["adelev", "alexw", "lynner"].map { "https://graph.microsoft.com/v1.0/users/\($0)@contoso.com" }
        let group: Value = [
            "displayName": "ä", "mailEnabled": false, "securityEnabled": true, "mailNickname": "a",
            "members@odata.bind": .array(people.map(Value.string)),
        ]
        let task: Value = ["a": ["call": "graph", "with": ["method": "POST", "path": "/groups", "body": group]]]
        let done = try await UndoTrial.run(
            try Workflow(tasks: "- \(task.json())"), [:], endingAfter: .max, in: UndoTrial.sandbox())
        let account = UndoTrial.account(done.events)
        #expect(account.map(\.effect.kind) == [.create, .member, .member, .member])
        #expect(account.allSatisfy { $0.state == .done } && Set(account.map(\.effect.identity)).count == 4)
    }
}
