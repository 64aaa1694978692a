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

    @Test(arguments: [
        ("{ call: f }", "before: [ { send: { call: note } } ]", "/use/extensions/0/e/before/0/send"),
        (
            "{ call: f }",
            "before: [ { first: { switch: [ { go: { then: send } } ] } }, { never: { wait: PT1H } }, { send: { call: note } } ]",
            "/use/extensions/0/e/before/2/send"
        ),
        ("{ set: { a: 1 } }", "after: [ { send: { call: note } } ]", "/use/extensions/0/e/after/0/send"),
    ])
    func `a call in an extension is one of the task that is extended, and of those around it`(
        task: String, tasks: String, place: String
    ) async throws {
        let process = CrashingRun(endingWith: { $0.type.hasSuffix("call.started.v1") })
        let workflow = try Workflow(
            tasks: "- outer: { do: [ { inner: \(task) } ] }",
            rest:
                "use: { functions: { f: { set: { a: 1 } } }, extensions: [ { e: { extend: all, when: '$task.name == \"inner\"', \(tasks) } } ] }"
        )
        let runner = Runner.testing { catalog in
            catalog.register("note", effect: .once) { _, _ in .value(.null) }
        }
        _ = try await process.run(workflow, input: [:], by: runner, blobs: BlobStore())
        var state = RunState(remembering: .ends)
        for event in process.events { state.apply(event) }
        for tokens in [["do", "0", "outer"], ["do", "0", "outer", "do", "0", "inner"]] {
            #expect(state.unsettled(inside: TaskExecution(JSONPointer(tokens))).map(\.task.description) == [place])
        }
    }
}
