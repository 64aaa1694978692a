import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// Runs and undos whose process ends after each of their events in turn.
@Suite(.serialized) struct UndoCrashTests {
    private static let tasks = """
        - file: { call: upload, with: { path: a.txt, content: x } }
        - link: { call: createLink, with: { itemId: '${ .id }', scope: organization } }
        - folder: { call: createFolder, with: { name: b } }
        - inside: { call: upload, with: { path: b/c.txt, content: x } }
        - event:
            call: createEvent
            with: { subject: s, start: '2026-01-01T08:00', end: '2026-01-01T09:00', attendees: [adelev@contoso.com] }
        - member:
            call: addToGroup
            with: { group: 02bd9fd6-8f93-4758-87c3-1fb73740a315, user: lynner@contoso.com }
        """

    private static func sandbox(_ faults: [Sandbox.Fault] = []) -> Sandbox {
        Sandbox(faults: faults, now: { Date(timeIntervalSince1970: 1_750_000_000) })
    }

    private static func runner(_ sandbox: Sandbox) -> Runner {
        var runner = Runner.testing(sandbox: sandbox, clock: .patient)
        runner.graph.clock = SkippingClock()
        runner.graph.gate = RequestGate()
        runner.now = { Date(timeIntervalSince1970: 1_750_000_000) }
        return runner
    }

    /// What takes back the effects of a run with these events.
    private static func undo(_ events: [Event]) -> Value {
        var account = EffectAccount()
        for event in events { account.take(event) }
        return Undo("RUN", account.effects(isAtWork: false), where: { _ in true })
            .input(isForced: false, isCorrected: false)
    }

    /// Runs a workflow in a process that ends after an event, and continues it in another one.
    private static func run(
        _ workflow: Workflow, _ input: Value, endingAfter count: Int, in sandbox: Sandbox
    ) async throws -> (output: Value?, events: [Event]) {
        let (first, blobs) = (CrashingRun(endingAfter: count), BlobStore())
        if let output = try await first.run(workflow, input: input, by: runner(sandbox).undoing, blobs: blobs) {
            return (output, first.events)
        }
        let second = CrashingRun(events: first.events)
        return (
            try await second.resume(workflow, input: input, by: runner(sandbox).undoing, blobs: blobs), second.events
        )
    }

    private static let all: Value = ["undone": 6, "left": []]

    @Test(.timeLimit(.minutes(10)))
    func `a run that ended after any event and was continued is taken back`() async throws {
        let workflow = try Workflow(tasks: Self.tasks)
        let undo = try Undo.workflow()
        let whole = try await Self.run(workflow, [:], endingAfter: .max, in: Self.sandbox())
        for count in stride(from: 1, to: whole.events.count, by: Extent.of(1, or: 4)) {
            let sandbox = Self.sandbox()
            let before = sandbox.snapshot
            let done = try await Self.run(workflow, [:], endingAfter: count, in: sandbox)
            #expect(sandbox.snapshot != before)
            let undone = try await Self.run(undo, Self.undo(done.events), endingAfter: .max, in: sandbox)
            // A file that was uploaded a second time was replaced once.
            #expect(undone.output?["left"] == [], "after event \(count): \(undone.output?.json() ?? "")")
            #expect(sandbox.snapshot == before, "after event \(count)")
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `an undo that ended after any event is continued, and does nothing twice`() async throws {
        let workflow = try Workflow(tasks: Self.tasks)
        let undo = try Undo.workflow()
        let reference = Self.sandbox()
        let done = try await Self.run(workflow, [:], endingAfter: .max, in: reference)
        let whole = try await Self.run(undo, Self.undo(done.events), endingAfter: .max, in: reference)
        #expect(whole.output == Self.all)
        for count in stride(from: 1, to: whole.events.count, by: Extent.of(1, or: 4)) {
            let sandbox = Self.sandbox()
            let before = sandbox.snapshot
            let done = try await Self.run(workflow, [:], endingAfter: .max, in: sandbox)
            let input = Self.undo(done.events)
            let undone = try await Self.run(undo, input, endingAfter: count, in: sandbox)
            #expect(undone.output == Self.all, "after event \(count)")
            #expect(sandbox.snapshot == before, "after event \(count)")
            // Everything is gone already.
            let again = try await Self.run(undo, input, endingAfter: .max, in: sandbox)
            #expect(again.output == Self.all, "after event \(count)")
            #expect(sandbox.snapshot == before, "after event \(count)")
        }
    }

    @Test(arguments: [
        "DELETE /* drop processed x2", "DELETE /* drop", "GET /* 503 x2", "GET /* truncate", "DELETE /* 503 x2",
        "DELETE /* 429 x2 retry-after=1", "POST /me/events/*/cancel drop processed",
    ])
    func `an undo gets through faults`(fault: String) async throws {
        let sandbox = Self.sandbox([try Sandbox.Fault(parsing: fault)])
        let before = sandbox.snapshot
        let done = try await Self.run(try Workflow(tasks: Self.tasks), [:], endingAfter: .max, in: sandbox)
        let undone = try await Self.run(try Undo.workflow(), Self.undo(done.events), endingAfter: .max, in: sandbox)
        #expect(undone.output == Self.all)
        #expect(sandbox.snapshot == before)
    }
}
