import Foundation
import Promises
import TestSupport

@testable import Workflows

/// The machine's clock without waits; limits only detect a hang.
private struct HastyClock: PromiseClock {
    // Real time: waits only pass, and a limit ends nothing that is not stuck for fifteen minutes.
    var now: Duration { ContinuousPromiseClock().now }

    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledWork {
        let isLimit = delay >= .seconds(300)
        return ContinuousPromiseClock().schedule(after: isLimit ? .seconds(900) : .milliseconds(1), work)
    }
}

/// Runs, and undos of them, in processes that may end.
enum UndoTrial {
    /// Tasks of every kind that the journal alone takes back.
    static let tasks = """
        - file: { call: upload, with: { path: 'ä %20.txt', content: x } }
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

    /// A sandbox whose clock is ahead of the client's, to which all that the trial makes is new.
    static func sandbox(_ faults: [Sandbox.Fault] = []) -> Sandbox {
        Sandbox(faults: faults, now: { Date(timeIntervalSince1970: 4_000_000_000) })
    }

    static func runner(_ sandbox: Sandbox) -> Runner {
        var runner = Runner.testing(sandbox: sandbox, clock: HastyClock())
        runner.graph.clock = SkippingClock()
        runner.graph.gate = RequestGate()
        runner.now = { Date(timeIntervalSince1970: 1_750_000_000) }
        return runner
    }

    static func account(_ events: [Event]) -> [AccountedEffect] {
        var account = EffectAccount()
        for event in events { account.take(event) }
        return account.effects(isAtWork: false)
    }

    /// What takes back the effects of a run with these events.
    static func undo(
        _ events: [Event], _ kept: BeforeImages = BeforeImages(),
        where isWanted: (AccountedEffect) -> Bool = { _ in true }
    ) throws -> Value {
        Undo("RUN", account(events), try kept.all(at: .distantPast), where: isWanted)
            .input(isForced: false, isCorrected: false)
    }

    static func differences(_ sandbox: Sandbox, _ before: [String: [String]]) -> [String] {
        let after = sandbox.snapshot
        return after.keys.filter { after[$0] != before[$0] }.flatMap { key in
            Set(after[key] ?? []).symmetricDifference(before[key] ?? []).map { String($0.prefix(2_000)) }
        }
    }

    /// Runs a workflow in a process that ends after an event, and continues it in another one.
    static func run(
        _ workflow: Workflow, _ input: Value, endingAfter count: Int, in sandbox: Sandbox,
        keepingIn kept: BeforeImages? = nil, undoing images: BeforeImages = BeforeImages()
    ) async throws -> (output: Value?, events: [Event]) {
        let (first, blobs) = (CrashingRun(endingAfter: count), BlobStore())
        var runner = runner(sandbox).undoing(try images.all(at: .distantPast))
        if let kept { (runner.before, runner.access.undoable) = (kept, .seconds(100)) }
        if let output = try await first.run(workflow, input: input, by: runner, blobs: blobs) {
            return (output, first.events)
        }
        // A gate in which a request of the first process waits is gone with it.
        runner.graph.gate = RequestGate()
        let second = CrashingRun(events: first.events)
        return (try await second.resume(workflow, input: input, by: runner, blobs: blobs), second.events)
    }

    /// The events of a run that may fail, and of its continuation if its process ends and nothing is unknown.
    static func events(
        _ workflow: Workflow, _ input: Value, endingAfter count: Int, in sandbox: Sandbox, keepingIn kept: BeforeImages
    ) async -> [Event] {
        let (first, blobs) = (CrashingRun(endingAfter: count), BlobStore())
        var runner = runner(sandbox)
        (runner.before, runner.access.undoable) = (kept, .seconds(100))
        do {
            if try await first.run(workflow, input: input, by: runner, blobs: blobs) != nil { return first.events }
        } catch {
            if !first.isDead { return first.events }
        }
        // A gate in which a request of the first process waits is gone with it.
        runner.graph.gate = RequestGate()
        let second = CrashingRun(events: first.events)
        _ = try? await second.resume(workflow, input: input, by: runner, blobs: blobs)
        return second.events
    }
}
