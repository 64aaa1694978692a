import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// Effects that may have happened when a run ended, and how that is decided.
@Suite struct UnsettledEffectTests {
    private static let direct =
        "- tell: { call: sendMail, with: { to: megan@contoso.com, subject: s, body: b, delivery: direct } }"

    @Test func `what only a person can know is asked, and the answer counts`() async throws {
        let events = try await InterruptedRun.events(of: Self.direct) { $0.type == "graphflow.request.committing.v1" }
        await #expect(throws: UnsettledEffects(run: "RUN", tasks: [JSONPointer(["do", "0", "tell"])])) {
            try await InterruptedRun.resume(Self.direct, from: events, after: 5)
        }
        let sandbox = Sandbox()
        let sent = try await InterruptedRun.resume(
            Self.direct, from: events, after: 5, sandbox: sandbox, assuming: .sent)
        #expect(sent == ["status": "accepted"])
        #expect(sandbox.outbox.isEmpty)
        let again = try await InterruptedRun.resume(
            Self.direct, from: events, after: 5, sandbox: sandbox, assuming: .notSent)
        #expect(again == ["status": "accepted"])
        #expect(sandbox.outbox.count == 1)
    }

    @Test func `before a mail is about to leave, nothing is asked`() async throws {
        let events = try await InterruptedRun.events(of: Self.direct) {
            if case .callStarted = $0.kind { true } else { false }
        }
        let sandbox = Sandbox()
        _ = try await InterruptedRun.resume(Self.direct, from: events, after: 5, sandbox: sandbox)
        #expect(sandbox.outbox.count == 1)
    }

    @Test(arguments: [(Runner.Assumption.sent, 1), (.notSent, 2)])
    func `a run that ended with an unknown outcome goes on with an answer`(
        assumption: Runner.Assumption, mails: Int
    ) async throws {
        let tasks = Self.direct + "\n- after: { set: { done: true } }"
        let sandbox = Sandbox()
        let process = CrashingRun()
        var runner = Runner.testing(sandbox: sandbox)
        runner.graph.transport = FaultyTransport(sandbox.transport, clock: SkippingClock()) { request, _ in
            request.url.path.hasSuffix("/sendMail") ? .resetAfterBody : nil
        }
        let error = await #expect(throws: WorkflowError.self) {
            try await process.run(Workflow(tasks: tasks), input: [:], by: runner, blobs: BlobStore())
        }
        #expect(error?.is(.unknownOutcome) == true)
        await #expect(throws: UnsettledEffects.self) {
            try await InterruptedRun.resume(tasks, from: process.events, after: 5, sandbox: sandbox)
        }
        let output = try await InterruptedRun.resume(
            tasks, from: process.events, after: 5, sandbox: sandbox, assuming: assumption)
        #expect(output == ["done": true])
        #expect(sandbox.outbox.count == mails)
    }

    @Test(arguments: [Event.CallEnd.completed(1), .failed(WorkflowError(.communication, detail: "")), nil])
    func `a call is unsettled until it ends, however it ends`(end: Event.CallEnd?) {
        let (first, second) = (JSONPointer(["do", "0", "first"]), JSONPointer(["do", "1", "second"]))
        var state = RunState()
        func happen(_ kinds: Event.Kind...) {
            for event in TemporaryRuns.events(kinds, of: TemporaryRuns.header("RUN")) { state.apply(event) }
        }
        happen(.callStarted(first, .once), .callStarted(second, .once))
        #expect(state.unsettled == [first, second])
        happen(.callEnded(first, end))
        #expect(state.unsettled == [second])
    }

    @Test func `a draft that was made is the one that is sent, a minute after the run ended`() async throws {
        let tasks = "- tell: { call: sendMail, with: { to: megan@contoso.com, subject: s, body: b } }"
        let sandbox = Sandbox()
        let events = try await InterruptedRun.events(
            of: tasks, until: { $0.type == "graphflow.mail.drafted.v1" }, sandbox: sandbox)
        #expect(sandbox.outbox.isEmpty)
        let clock = SkippingClock()
        let output = try await InterruptedRun.resume(tasks, from: events, after: 20, clock: clock, sandbox: sandbox)
        #expect(clock.waits.contains { abs($0.seconds - 40) < 0.01 })
        #expect(sandbox.outbox.count == 1)
        let drafted = try #require(events.last?.record["data"]?["messageId"])
        #expect(output?["messageId"] == drafted)
    }
}
