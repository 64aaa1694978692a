import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// What was done although its answer was lost is in the account, and can be taken back.
@Suite struct LostAnswerTests {
    private static let team = "02bd9fd6-8f93-4758-87c3-1fb73740a315"
    private static let lost = [
        "drop processed", "drop processed x2", "503 processed", "500 processed", "504 processed",
    ]
    /// Tasks whose repetition meets their own work, with the requests that do it.
    private static let tasks = [
        ("POST */members/*", "- a: { call: addToGroup, with: { group: \(team), user: lynner@contoso.com } }"),
        ("POST *children", "- a: { call: createFolder, with: { name: 'ä 😀 100 %' } }"),
        ("POST *children", "- a: { call: createFolder, with: { name: inner, in: 'ä %20' } }"),
    ]

    /// Before the clients of these tests begin, and after it.
    private static let (past, future) = (Date(timeIntervalSince1970: 1e9), Date(timeIntervalSince1970: 4e9))

    @Test(arguments: lost, tasks)
    func `a repetition that finds its work done is a success with its effect`(
        fault: String, work: (request: String, tasks: String)
    ) async throws {
        let isFolder = work.request.hasSuffix("children")
        // The folder that is there first is the first request to match.
        let wanted = "\(work.request) \(fault)\(isFolder ? " after=1" : "")"
        let sandbox = Sandbox(faults: [try Sandbox.Fault(parsing: wanted)], now: { Self.future })
        let made = try Workflow(tasks: "- a: { call: createFolder, with: { name: 'ä %20' } }")
        _ = try await UndoTrial.run(made, [:], endingAfter: .max, in: sandbox)
        let before = sandbox.snapshot
        let done = try await UndoTrial.run(try Workflow(tasks: work.tasks), [:], endingAfter: .max, in: sandbox)
        let account = UndoTrial.account(done.events)
        #expect(account.map(\.state) == [.done] && account.first?.effect.kind == (isFolder ? .folder : .member))
        let undone = try await UndoTrial.run(
            try Undo.workflow(), try UndoTrial.undo(done.events), endingAfter: .max, in: sandbox)
        #expect(undone.output?["undone"] == 1 && undone.output?["left"] == [], "\(undone.output?.json() ?? "")")
        #expect(UndoTrial.differences(sandbox, before) == [])
    }

    @Test(arguments: lost)
    func `a folder that was there before the run is not the run's`(fault: String) async throws {
        let moment = Locked(Self.past)
        let fault = try Sandbox.Fault(parsing: "POST *children \(fault) after=1")
        let sandbox = Sandbox(faults: [fault], now: { moment.withLock { $0 } })
        let make = try Workflow(tasks: "- a: { call: createFolder, with: { name: there } }")
        _ = try await UndoTrial.run(make, [:], endingAfter: .max, in: sandbox)
        moment.withLock { $0 = Self.future }
        let done = try await UndoTrial.run(make, [:], endingAfter: .max, in: sandbox)
        #expect(done.output?["name"] == "there")
        #expect(UndoTrial.account(done.events).isEmpty)
    }

    @Test(arguments: lost)
    func `what was deleted is accounted, and the repetition that finds nothing is a success`(
        fault: String
    ) async throws {
        let sandbox = Sandbox(faults: [try Sandbox.Fault(parsing: "DELETE * \(fault)")], now: { Self.future })
        let delete = try Workflow(
            tasks: "- a: { call: graph, with: { method: DELETE, path: /users/lynner@contoso.com } }")
        let done = try await UndoTrial.run(delete, [:], endingAfter: .max, in: sandbox)
        let account = UndoTrial.account(done.events)
        #expect(account.map(\.state) == [.done] && account.first?.effect.kind == .delete)
    }

    @Test(arguments: ["403", "404", "400"])
    func `an answer that says nothing of the lost attempt leaves its effect unknown`(status: String) async throws {
        let sandbox = Sandbox(
            faults: try ["PATCH * drop processed", "PATCH * \(status)"].map { try Sandbox.Fault(parsing: $0) },
            now: { Self.future })
        let change =
            "- a: { call: graph, with: { method: PATCH, path: /users/lynner@contoso.com, body: { jobTitle: x } } }"
        let tasks = "- all: { try: [ \(change.dropFirst(2)) ], catch: { do: [ { b: { set: { caught: true } } } ] } }"
        let done = try await UndoTrial.run(try Workflow(tasks: tasks), [:], endingAfter: .max, in: sandbox)
        #expect(done.output == ["caught": true])
        #expect(UndoTrial.account(done.events).map(\.state) == [.unknown])
    }

    @Test(arguments: tasks, 4...12)
    func `a process that ends after its request leaves no effect without its account`(
        work: (request: String, tasks: String), count: Int
    ) async throws {
        let sandbox = Sandbox(now: { Self.future })
        let made = try Workflow(tasks: "- a: { call: createFolder, with: { name: 'ä %20' } }")
        _ = try await UndoTrial.run(made, [:], endingAfter: .max, in: sandbox)
        let before = sandbox.snapshot
        let done = try await UndoTrial.run(try Workflow(tasks: work.tasks), [:], endingAfter: count, in: sandbox)
        #expect(UndoTrial.account(done.events).map(\.state) == [.done], "\(done.events.count)")
        let undone = try await UndoTrial.run(
            try Undo.workflow(), try UndoTrial.undo(done.events), endingAfter: .max, in: sandbox)
        #expect(undone.output?["undone"] == 1 && undone.output?["left"] == [], "\(undone.output?.json() ?? "")")
        #expect(UndoTrial.differences(sandbox, before) == [])
    }
}
