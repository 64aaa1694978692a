import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// An object's effects are taken back one after the other, whatever its addresses are, and no more than what was asked.
@Suite struct UndoneObjectsTests {
    private static let upload = "- a: { call: upload, with: { path: 'ä %20.txt', content: first } }\n"

    /// Runs tasks, and takes back those that a test accepts.
    private func undone(
        _ tasks: String, in sandbox: Sandbox, keeps: Bool = true,
        where isWanted: (AccountedEffect) -> Bool = { _ in true }
    ) async throws -> (left: [Value], account: [AccountedEffect]) {
        let kept = BeforeImages()
        let done = try await UndoTrial.run(
            try Workflow(tasks: tasks), [:], endingAfter: .max, in: sandbox, keepingIn: keeps ? kept : nil)
        let undo = try UndoTrial.undo(done.events, kept, where: isWanted)
        let output = try await UndoTrial.run(
            try Undo.workflow(), undo, endingAfter: .max, in: sandbox, undoing: kept
        ).output
        return (output?["left"]?.array ?? [], UndoTrial.account(done.events))
    }

    private static let twice = [
        upload
            + "- b: { call: graph, with: { method: PATCH, path: '/me/drive/items/${ .id }', body: { name: b.txt } } }",
        "- a: { call: upload, with: { path: old.txt, content: new } }\n"
            + "- b: { call: graph, with: { method: PATCH, path: '/me/drive/items/${ .id }', body: { name: b.txt } } }",
        "- a: { call: upload, with: { path: old.txt, content: new } }\n"
            + "- b: { call: upload, with: { path: old.txt, content: newer } }\n"
            + "- c: { call: graph, with: { method: PATCH, path: '/me/drive/root:/old.txt', body: { name: 'ä.txt' } } }\n"
            + "- d: { call: upload, with: { path: 'ä.txt', content: newest } }",
        "- a: { call: createFolder, with: { name: 'ä' } }\n"
            + "- b: { call: graph, with: { method: PATCH, path: '/me/drive/items/${ .id }', body: { name: 'ö' } } }",
        "- a: { call: createEvent, with: { subject: s, start: '2026-01-01T08:00', end: '2026-01-01T09:00' } }\n"
            + "- b: { call: graph, with: { method: PATCH, path: '/me/calendar/events/${ .id }', body: { subject: t } } }",
        "- a: { call: graph, with: { method: PATCH, path: /users/alexw@contoso.com, body: { jobTitle: a } } }\n"
            + "- b: { call: graph, with: { method: GET, path: '/users/alexw@contoso.com?$select=id' } }\n"
            + "- c: { call: graph, with: { method: PATCH, path: '/users/${ .id }', body: { jobTitle: b, city: c } } }",
        "- a: { call: createFolder, with: { name: x } }\n- b: { call: createFolder, with: { name: y, in: x } }\n"
            + "- c: { call: upload, with: { path: x/y/c.txt, content: x } }\n"
            + "- d: { call: createLink, with: { itemId: '${ .id }', scope: organization } }",
    ]

    @Test(arguments: twice)
    func `what the run changed several times is as before, and none of it is somebody else's`(
        tasks: String
    ) async throws {
        let sandbox = UndoTrial.sandbox()
        let there = try Workflow(tasks: "- a: { call: upload, with: { path: old.txt, content: 'former ‹x›' } }")
        _ = try await UndoTrial.run(there, [:], endingAfter: .max, in: sandbox)
        let before = sandbox.snapshot
        #expect(try await undone(tasks, in: sandbox).left == [])
        #expect(UndoTrial.differences(sandbox, before) == [])
    }

    @Test func `folders that uploads made on their way go, unless something else is in them`() async throws {
        let tasks = """
            - there: { call: createFolder, with: { name: there } }
            - a: { call: upload, with: { path: 'ä %20/b 😀/c.txt', content: x } }
            - b: { call: upload, with: { path: 'ä %20/b 😀/d.txt', content: x } }
            - c: { call: upload, with: { path: 'there/e/f.txt', content: x } }
            """
        let sandbox = UndoTrial.sandbox()
        let before = sandbox.snapshot
        #expect(try await undone(tasks, in: sandbox).left == [])
        #expect(UndoTrial.differences(sandbox, before) == [])
        let shared = UndoTrial.sandbox()
        let kept = BeforeImages()
        let done = try await UndoTrial.run(
            try Workflow(tasks: tasks), [:], endingAfter: .max, in: shared, keepingIn: kept)
        let theirs = try Workflow(tasks: "- a: { call: upload, with: { path: 'ä %20/theirs.txt', content: x } }")
        _ = try await UndoTrial.run(theirs, [:], endingAfter: .max, in: shared)
        let undo = try UndoTrial.undo(done.events, kept)
        _ = try await UndoTrial.run(try Undo.workflow(), undo, endingAfter: .max, in: shared, undoing: kept)
        #expect(shared.drive.map(\.name) == ["theirs.txt"])
        #expect(!shared.snapshot.values.flatMap(\.self).contains { $0.contains("b 😀") })
    }

    @Test func `a part is taken back alone, and what is not is not said to be`() async throws {
        let sandbox = UndoTrial.sandbox()
        let tasks = Self.upload + "- b: { call: upload, with: { path: 'ä %20.txt', content: second } }"
        let isLast = { (accounted: AccountedEffect) in accounted.effect.task?.tokens.last == "b" }
        let lost = try await undone(tasks, in: sandbox, keeps: false, where: isLast)
        #expect(lost.left.map { $0["state"] } == ["impossible"])
        #expect(lost.left[0]["advice"]?.string?.contains("--undoable") ?? false)
        #expect(sandbox.drive.first { $0.name == "ä %20.txt" }?.content == Data("second".utf8))
        let kept = UndoTrial.sandbox()
        #expect(try await undone(tasks, in: kept, where: isLast).left == [])
        #expect(kept.drive.first { $0.name == "ä %20.txt" }?.content == Data("first".utf8))
    }

    @Test func `other properties of one object are no reason to leave it`() async throws {
        let sandbox = UndoTrial.sandbox()
        let change = "call: graph, with: { method: PATCH, path: /users/alexw@contoso.com, body:"
        let first = try await undone(
            "- a: { \(change) { jobTitle: a } } }\n- b: { \(change) { city: c } } }", in: sandbox
        ) { $0.effect.task?.tokens.last == "a" }
        #expect(first.left == [])
        let same = try await undone(
            "- a: { \(change) { jobTitle: a } } }\n- b: { \(change) { jobTitle: b } } }", in: sandbox
        ) { $0.effect.task?.tokens.last == "a" }
        #expect(same.left.map { $0["state"] } == ["impossible"])
    }

    @Test func `a link that was there before the run stays, and nothing is left to do`() async throws {
        let sandbox = UndoTrial.sandbox()
        let link = Self.upload + "- b: { call: createLink, with: { itemId: '${ .id }', scope: organization } }"
        _ = try await UndoTrial.run(try Workflow(tasks: link), [:], endingAfter: .max, in: sandbox)
        let before = sandbox.snapshot
        let again = """
            - a: { call: graph, with: { method: GET, path: '/me/drive/root:/ä%20%2520.txt' } }
            - b: { call: createLink, with: { itemId: '${ .id }', scope: organization } }
            """
        #expect(try await undone(again, in: sandbox).left == [])
        #expect(UndoTrial.differences(sandbox, before) == [])
    }

    /// Somebody who changes an object between the look at it and the request that takes it back.
    private struct Meddler: HTTPTransport {
        let transport: any HTTPTransport
        let method: String

        func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
            guard request.method == method, request.headers["If-Match"] != nil else {
                return transport.send(request, for: operation)
            }
            var theirs = HTTPRequest("PATCH", request.url, headers: request.headers)
            theirs.headers["If-Match"] = nil
            theirs.headers["Content-Type"] = "application/json"
            theirs.setBody(.memory(Data(#"{"subject":"theirs","categories":["theirs"]}"#.utf8)))
            return transport.send(theirs, for: operation).then { _ in transport.send(request, for: operation) }
        }
    }

    @Test(arguments: [
        (
            "- a: { call: createEvent, with: { subject: s, start: '2026-01-01T08:00', end: '2026-01-01T09:00' } }",
            "DELETE"
        ),
        ("- a: { call: graph, with: { method: POST, path: /me/messages, body: { subject: s } } }", "DELETE"),
        (
            "- a: { call: graph, with: { method: PATCH, path: '/me/messages/${ $workflow.input.id }', "
                + "body: { categories: [mine] } } }", "PATCH"
        ),
    ])
    func `what somebody changes after the look stays`(task: String, method: String) async throws {
        let (sandbox, kept) = (UndoTrial.sandbox(), BeforeImages())
        let draft = try Workflow(
            tasks: "- a: { call: graph, with: { method: POST, path: /me/messages, body: { subject: s } } }")
        let there = try await UndoTrial.run(draft, [:], endingAfter: .max, in: sandbox).output
        let done = try await UndoTrial.run(
            try Workflow(tasks: task), ["id": there?["id"] ?? .null], endingAfter: .max, in: sandbox, keepingIn: kept)
        var runner = UndoTrial.runner(sandbox).undoing(try kept.all(at: .distantPast))
        runner.graph.transport = Meddler(transport: runner.graph.transport, method: method)
        let undo = try UndoTrial.undo(done.events, kept)
        let output = try await runner.run(try Undo.workflow(), input: undo).value
        #expect(output["left"]?.array?.map { $0["state"] } == ["changed"], "\(output.json())")
        #expect(sandbox.snapshot.values.flatMap(\.self).contains { $0.contains("theirs") })
    }
}
