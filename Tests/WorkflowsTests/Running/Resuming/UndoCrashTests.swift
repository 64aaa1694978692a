import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// Runs and undos whose process ends after each of their events in turn.
@Suite(.serialized) struct UndoCrashTests {
    /// Tasks that replace and change what is there, also twice, and with hostile texts.
    private static let changes = """
        - file: { call: upload, with: { path: old.txt, content: new } }
        - again: { call: upload, with: { path: old.txt, content: '' } }
        - names: { call: upload, with: { path: 'ä ö #%& ‹x›.txt', content: new } }
        - user:
            call: graph
            with: { method: PATCH, path: /users/adelev@contoso.com, body: { jobTitle: '50 % "‹x›" 😀', city: null } }
        - loop:
            for: { in: '${ ["one", "two"] }', each: title }
            do:
              - title:
                  call: graph
                  with: { method: PATCH, path: /users/adelev@contoso.com, body: { jobTitle: '${ $title }' } }
        - group:
            call: graph
            with:
              method: PATCH
              path: /groups/02bd9fd6-8f93-4758-87c3-1fb73740a315
              body: { description: '', displayName: 'Größe' }
        - message:
            call: graph
            with: { method: PATCH, path: '/me/messages/${ $workflow.input.message }', body: { categories: [a, b] } }
        - made: { call: upload, with: { path: new.txt, content: x } }
        """
    private static let deletions = """
        - leaver: { call: graph, with: { method: DELETE, path: /users/lynner@contoso.com } }
        - unified: { call: graph, with: { method: DELETE, path: /groups/02bd9fd6-8f93-4758-87c3-1fb73740a315 } }
        """

    /// A sandbox with what ``changes`` changes.
    private static func furnished() async throws -> (Sandbox, input: Value) {
        let sandbox = UndoTrial.sandbox()
        let tasks = """
            - file: { call: upload, with: { path: old.txt, content: 'former ä ‹x› 😀' } }
            - names: { call: upload, with: { path: 'ä ö #%& ‹x›.txt', content: { base64: AAEC/w== } } }
            - message: { call: graph, with: { method: POST, path: /me/messages, body: { subject: s, categories: [z] } } }
            """
        let output = try await UndoTrial.runner(sandbox).run(try Workflow(tasks: tasks)).value
        return (sandbox, ["message": output["id"] ?? .null])
    }

    private static let all: Value = ["undone": 6, "left": []]

    @Test(.timeLimit(.minutes(60)))
    func `a run that ended after any event and was continued is taken back`() async throws {
        let workflow = try Workflow(tasks: UndoTrial.tasks)
        let undo = try Undo.workflow()
        let whole = try await UndoTrial.run(workflow, [:], endingAfter: .max, in: UndoTrial.sandbox())
        for count in stride(from: 1, to: whole.events.count, by: Extent.of(1, or: 4)) {
            let sandbox = UndoTrial.sandbox()
            let before = sandbox.snapshot
            let done = try await UndoTrial.run(workflow, [:], endingAfter: count, in: sandbox)
            #expect(sandbox.snapshot != before)
            let undone = try await UndoTrial.run(undo, try UndoTrial.undo(done.events), endingAfter: .max, in: sandbox)
            // A file that was uploaded a second time was replaced once.
            #expect(undone.output?["left"] == [], "after event \(count): \(undone.output?.json() ?? "")")
            #expect(sandbox.snapshot == before, "after event \(count)")
        }
    }

    @Test(.timeLimit(.minutes(60)))
    func `an undo that ended after any event is continued, and does nothing twice`() async throws {
        let workflow = try Workflow(tasks: UndoTrial.tasks)
        let undo = try Undo.workflow()
        let reference = UndoTrial.sandbox()
        let done = try await UndoTrial.run(workflow, [:], endingAfter: .max, in: reference)
        let whole = try await UndoTrial.run(undo, try UndoTrial.undo(done.events), endingAfter: .max, in: reference)
        #expect(whole.output == Self.all)
        for count in stride(from: 1, to: whole.events.count, by: Extent.of(1, or: 4)) {
            let sandbox = UndoTrial.sandbox()
            let before = sandbox.snapshot
            let done = try await UndoTrial.run(workflow, [:], endingAfter: .max, in: sandbox)
            let input = try UndoTrial.undo(done.events)
            let undone = try await UndoTrial.run(undo, input, endingAfter: count, in: sandbox)
            #expect(undone.output == Self.all, "after event \(count)")
            #expect(sandbox.snapshot == before, "after event \(count)")
            // Everything is gone already.
            let again = try await UndoTrial.run(undo, input, endingAfter: .max, in: sandbox)
            #expect(again.output == Self.all, "after event \(count)")
            #expect(sandbox.snapshot == before, "after event \(count)")
        }
    }

    @Test(.timeLimit(.minutes(60)))
    func `what a run replaced and changed is set back, whatever event it ended after`() async throws {
        let workflow = try Workflow(tasks: Self.changes)
        let undo = try Undo.workflow()
        let (reference, given) = try await Self.furnished()
        let whole = try await UndoTrial.run(
            workflow, given, endingAfter: .max, in: reference, keepingIn: BeforeImages())
        for count in stride(from: 1, through: whole.events.count, by: Extent.of(1, or: 5)) {
            let (sandbox, input) = try await Self.furnished()
            let (before, kept) = (sandbox.snapshot, BeforeImages())
            let done = try await UndoTrial.run(workflow, input, endingAfter: count, in: sandbox, keepingIn: kept)
            #expect(sandbox.snapshot != before)
            let last = Int.random(in: 1...40)
            let undone = try await UndoTrial.run(
                undo, try UndoTrial.undo(done.events, kept), endingAfter: last, in: sandbox, undoing: kept)
            #expect(undone.output?["left"] == [], "\(count), \(last)")
            #expect(UndoTrial.differences(sandbox, before) == [], "\(count), \(last)")
        }
    }

    @Test func `people and groups that were deleted are restored, whatever event the undo ended after`() async throws {
        for count in 1..<20 {
            let (sandbox, kept) = (UndoTrial.sandbox(), BeforeImages())
            let before = sandbox.snapshot
            let done = try await UndoTrial.run(
                try Workflow(tasks: Self.deletions), [:], endingAfter: .max, in: sandbox, keepingIn: kept)
            #expect(sandbox.snapshot != before)
            let undone = try await UndoTrial.run(
                try Undo.workflow(), try UndoTrial.undo(done.events, kept), endingAfter: count, in: sandbox,
                undoing: kept)
            #expect(undone.output == ["undone": 2, "left": []], "\(count)")
            #expect(UndoTrial.differences(sandbox, before) == [], "\(count)")
        }
    }

    @Test func `what others changed since stays`() async throws {
        let (sandbox, input) = try await Self.furnished()
        let (before, kept) = (sandbox.snapshot, BeforeImages())
        let done = try await UndoTrial.run(
            try Workflow(tasks: Self.changes), input, endingAfter: .max, in: sandbox, keepingIn: kept)
        let others = """
            - file: { call: upload, with: { path: old.txt, content: theirs } }
            - user:
                call: graph
                with: { method: PATCH, path: /users/adelev@contoso.com, body: { jobTitle: theirs } }
            """
        _ = try await UndoTrial.runner(sandbox).run(try Workflow(tasks: others)).value
        let undone = try await UndoTrial.run(
            try Undo.workflow(), try UndoTrial.undo(done.events, kept), endingAfter: .max, in: sandbox, undoing: kept)
        let left = (undone.output?["left"]?.array ?? []).compactMap { $0["state"]?.string }
        #expect(Set(left) == ["changed"] && left.count == 5, "\(undone.output?.json() ?? "")")
        #expect(sandbox.snapshot.filter { before[$0.key] != $0.value }.count == 2)
    }

    @Test(arguments: [
        ("businessPhones: ['+1 ‹x›']", "businessPhones: ['+49 30']"), ("businessPhones: ['+1']", "businessPhones: []"),
        ("jobTitle: 'ä 😀'", "jobTitle: null"), ("city: null", "city: Köln"),
        ("accountEnabled: true", "accountEnabled: false"),
    ])
    func `a value of any type that others changed since stays, and one that they left is set back`(
        own: String, theirs: String
    ) async throws {
        for isChanged in [false, true] {
            let (sandbox, kept) = (UndoTrial.sandbox(), BeforeImages())
            let before = sandbox.snapshot
            func change(_ body: String) throws -> Workflow {
                try Workflow(
                    tasks:
                        "- x: { call: graph, with: { method: PATCH, path: /users/alexw@contoso.com, body: { \(body) } } }"
                )
            }
            let done = try await UndoTrial.run(
                try change(own), [:], endingAfter: .max, in: sandbox, keepingIn: kept)
            if isChanged { _ = try await UndoTrial.runner(sandbox).run(try change(theirs)).value }
            let between = sandbox.snapshot
            let undone = try await UndoTrial.run(
                try Undo.workflow(), try UndoTrial.undo(done.events, kept), endingAfter: .max, in: sandbox,
                undoing: kept)
            let left = (undone.output?["left"]?.array ?? []).compactMap { $0["state"]?.string }
            #expect(left == (isChanged ? ["changed"] : []), "\(undone.output?.json() ?? "")")
            #expect(UndoTrial.differences(sandbox, isChanged ? between : before) == [])
        }
    }

    @Test func `a part is taken back only if no later task changed the same`() async throws {
        let (sandbox, input) = try await Self.furnished()
        let (before, kept) = (sandbox.snapshot, BeforeImages())
        let done = try await UndoTrial.run(
            try Workflow(tasks: Self.changes), input, endingAfter: .max, in: sandbox, keepingIn: kept)
        func undo(_ tasks: String...) async throws -> Value? {
            let input = try UndoTrial.undo(done.events, kept) { tasks.contains($0.effect.task?.tokens.last ?? "") }
            return try await UndoTrial.run(
                try Undo.workflow(), input, endingAfter: .max, in: sandbox, undoing: kept
            ).output
        }
        let changed = sandbox.snapshot
        let early = try await undo("file", "user")
        #expect(early?["undone"] == 0 && early?["left"]?.array?.count == 2)
        #expect(early?["left"]?[0]?["reason"]?.string?.hasPrefix("a later task of the run") == true)
        #expect(sandbox.snapshot == changed)
        #expect(try await undo("again", "title")?["left"] == [])
        #expect(try await undo("names", "group", "message", "made")?["left"] == [])
        #expect(UndoTrial.differences(sandbox, before).count == 4, "the first texts of the file and the user are left")
    }

    @Test func `without images, what was replaced and changed stays`() async throws {
        let (sandbox, input) = try await Self.furnished()
        let done = try await UndoTrial.run(try Workflow(tasks: Self.changes), input, endingAfter: .max, in: sandbox)
        let undone = try await UndoTrial.run(
            try Undo.workflow(), try UndoTrial.undo(done.events), endingAfter: .max, in: sandbox)
        #expect(undone.output?["undone"] == 1 && undone.output?["left"]?.array?.count == 8)
    }

    @Test(arguments: ["PUT /* drop processed", "PUT /* 500 processed x4", "PUT /* 503 processed x4", "PUT /* truncate"])
    func `a file whose first answer was lost is not taken for a former one`(fault: String) async throws {
        let (sandbox, kept) = (UndoTrial.sandbox([try Sandbox.Fault(parsing: fault)]), BeforeImages())
        let before = sandbox.snapshot
        let tasks = """
            - again:
                try:
                  - made: { call: upload, with: { path: 'ä ‹x› 😀 new.txt', content: x } }
                catch: { retry: { limit: { attempt: { count: 3 } } } }
            """
        let done = try await UndoTrial.run(
            try Workflow(tasks: tasks), [:], endingAfter: .max, in: sandbox, keepingIn: kept)
        let undone = try await UndoTrial.run(
            try Undo.workflow(), try UndoTrial.undo(done.events, kept), endingAfter: .max, in: sandbox, undoing: kept)
        #expect(undone.output?["left"] == [], "\(undone.output?.json() ?? "")")
        #expect(UndoTrial.differences(sandbox, before) == [])
    }

    @Test(arguments: [
        "DELETE /* drop processed x2", "DELETE /* drop", "GET /* 503 x2", "GET /* truncate", "DELETE /* 503 x2",
        "DELETE /* 429 x2 retry-after=1", "POST /me/events/*/cancel drop processed",
    ])
    func `an undo gets through faults`(fault: String) async throws {
        let sandbox = UndoTrial.sandbox([try Sandbox.Fault(parsing: fault)])
        let before = sandbox.snapshot
        let done = try await UndoTrial.run(try Workflow(tasks: UndoTrial.tasks), [:], endingAfter: .max, in: sandbox)
        let undone = try await UndoTrial.run(
            try Undo.workflow(), try UndoTrial.undo(done.events), endingAfter: .max, in: sandbox)
        #expect(undone.output == Self.all)
        #expect(sandbox.snapshot == before)
    }
}
