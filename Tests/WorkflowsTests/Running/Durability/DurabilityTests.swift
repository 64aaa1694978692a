import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// What is left of waits and limits, what is asked, and how runs stop, when they are interrupted and resumed.
@Suite struct DurabilityTests {
    private static let start = Date(timeIntervalSince1970: 1_750_000_000)

    private static func workflow(_ tasks: String) throws -> Workflow { try Workflow(tasks: tasks) }

    /// Runs until an event is written, and gives the events up to it.
    private func events(
        of tasks: String, until isLast: @escaping @Sendable (Event) -> Bool, sandbox: Sandbox = Sandbox(),
        register: (inout Catalog) -> Void = { _ in }
    ) async throws -> [Event] {
        let process = CrashingRun(endingWith: isLast)
        var runner = Runner.testing(sandbox: sandbox, clock: ManualClock(), register: register)
        runner.now = { Self.start }
        let output = try await process.run(Self.workflow(tasks), input: [:], by: runner, blobs: BlobStore())
        #expect(output == nil)
        return process.events
    }

    private func resume(
        _ tasks: String, from events: [Event], after delay: TimeInterval, clock: any PromiseClock = SkippingClock(),
        sandbox: Sandbox = Sandbox(), assuming assumption: Runner.Assumption? = nil,
        register: (inout Catalog) -> Void = { _ in }
    ) async throws -> Value? {
        var runner = Runner.testing(sandbox: sandbox, clock: clock, register: register)
        runner.now = { Self.start + delay }
        return try await CrashingRun(events: events).resume(
            Self.workflow(tasks), input: [:], by: runner, blobs: BlobStore(), assuming: assumption)
    }

    @Test(arguments: [(0, [10.0]), (4, [6]), (30, [0])] as [(Double, [Double])])
    func `of a wait only the rest is left`(delay: Double, waits: [Double]) async throws {
        let tasks = "- rest: { wait: '${ { seconds: (7 + 3) } }' }"
        let events = try await events(of: tasks) { if case .decided = $0.kind { true } else { false } }
        let clock = SkippingClock()
        _ = try await resume(tasks, from: events, after: delay, clock: clock)
        #expect(clock.waits.map(\.seconds) == waits)
    }

    @Test func `of the delay of a retry only the rest is left, and attempts are counted on`() async throws {
        let tasks = """
            - attempt:
                try: [{ refuse: { raise: { error: { type: https://contoso.com/no, status: 503 } } } }]
                catch: { retry: { delay: PT10S, limit: { attempt: { count: 2 } } }, do: [{ say: { set: { gave: up } } }] }
            """
        let events = try await events(of: tasks) { if case .taskRetried = $0.kind { true } else { false } }
        let clock = SkippingClock()
        #expect(try await resume(tasks, from: events, after: 4, clock: clock) == ["gave": "up"])
        #expect(clock.waits.map(\.seconds) == [6, 10])
    }

    @Test(arguments: [(4.0, true), (30.0, false)])
    func `a timeout counts the time in which nobody was at work`(delay: Double, isInTime: Bool) async throws {
        let tasks =
            "- limited: { timeout: { after: PT20S }, do: [{ rest: { wait: PT1S } }, { say: { set: { a: 1 } } }] }"
        let events = try await events(of: tasks) { $0.task?.tokens.last == "rest" && $0.type.contains("started") }
        let clock = ManualClock()
        if isInTime {
            let resumed = Task { try await resume(tasks, from: events, after: delay, clock: clock) }
            while clock.waitCount < 1 { await Task.yield() }
            clock.advance(by: .seconds(1))
            #expect(try await resumed.value == ["a": 1])
        } else {
            let error = await #expect(throws: WorkflowError.self) {
                try await resume(tasks, from: events, after: delay, clock: clock)
            }
            #expect(error?.is(.timeout) == true)
        }
    }

    @Test func `where a branch has won a competition, no other one goes on`() async throws {
        let tasks = """
            - race:
                fork:
                  compete: true
                  branches:
                    - slow: { do: [{ rest: { wait: PT1H } }, { note: { call: note } }] }
                    - fast: { set: { first: true } }
            """
        let notes = Locked(0)
        let events = try await events(of: tasks) { event in
            event.task?.tokens.last == "fast" && event.type.contains("completed")
        } register: {
            $0.register("note", effect: .once) { _, _ in .value(.null) }
        }
        let output = try await resume(tasks, from: events, after: 5) { catalog in
            catalog.register("note", effect: .once) { _, _ in
                notes.withLock { $0 += 1 }
                return .value(.null)
            }
        }
        #expect(output == ["first": true])
        #expect(notes.withLock { $0 } == 0)
    }

    private static let direct =
        "- tell: { call: sendMail, with: { to: megan@contoso.com, subject: s, body: b, delivery: direct } }"

    @Test func `what only a person can know is asked, and the answer counts`() async throws {
        let events = try await events(of: Self.direct) { $0.type == "graphflow.request.committing.v1" }
        await #expect(throws: UnsettledEffects(run: "RUN", tasks: [JSONPointer(["do", "0", "tell"])])) {
            try await resume(Self.direct, from: events, after: 5)
        }
        let sandbox = Sandbox()
        let sent = try await resume(Self.direct, from: events, after: 5, sandbox: sandbox, assuming: .sent)
        #expect(sent == ["status": "accepted"])
        #expect(sandbox.outbox.isEmpty)
        let again = try await resume(Self.direct, from: events, after: 5, sandbox: sandbox, assuming: .notSent)
        #expect(again == ["status": "accepted"])
        #expect(sandbox.outbox.count == 1)
    }

    @Test func `before a mail is about to leave, nothing is asked`() async throws {
        let events = try await events(of: Self.direct) { if case .callStarted = $0.kind { true } else { false } }
        let sandbox = Sandbox()
        _ = try await resume(Self.direct, from: events, after: 5, sandbox: sandbox)
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
            try await process.run(Self.workflow(tasks), input: [:], by: runner, blobs: BlobStore())
        }
        #expect(error?.is(.unknownOutcome) == true)
        await #expect(throws: UnsettledEffects.self) {
            try await resume(tasks, from: process.events, after: 5, sandbox: sandbox)
        }
        let output = try await resume(
            tasks, from: process.events, after: 5, sandbox: sandbox, assuming: assumption)
        #expect(output == ["done": true])
        #expect(sandbox.outbox.count == mails)
    }

    @Test func `a draft that was made is the one that is sent, a minute after the run ended`() async throws {
        let tasks = "- tell: { call: sendMail, with: { to: megan@contoso.com, subject: s, body: b } }"
        let sandbox = Sandbox()
        let events = try await events(
            of: tasks, until: { $0.type == "graphflow.mail.drafted.v1" }, sandbox: sandbox)
        #expect(sandbox.outbox.isEmpty)
        let clock = SkippingClock()
        let output = try await resume(tasks, from: events, after: 20, clock: clock, sandbox: sandbox)
        #expect(clock.waits.contains { abs($0.seconds - 40) < 0.01 })
        #expect(sandbox.outbox.count == 1)
        let drafted = try #require(events.last?.record["data"]?["messageId"])
        #expect(output?["messageId"] == drafted)
    }

    @Test func `a run that is interrupted lets a request be answered that must be made once, and begins nothing`()
        async throws
    {
        let tasks = """
            - both:
                fork:
                  branches:
                    - one: { call: note, with: { what: one } }
                    - two: { do: [{ rest: { wait: PT1S } }, { note: { call: note, with: { what: two } } }] }
            """
        let (answer, resolver) = Promise<Value>.pending()
        let notes = Locked<[String]>([])
        let clock = ManualClock()
        let process = CrashingRun()
        let suspension = Suspension()
        var runner = Runner.testing(clock: clock) { catalog in
            catalog.register("note", effect: .once) { input, _ in
                let what = input["what"]?.string ?? ""
                notes.withLock { $0.append(what) }
                return what == "one" ? answer : .value("noted")
            }
        }
        runner.suspension = suspension
        let run = Task { [runner] in
            try await process.run(Self.workflow(tasks), input: [:], by: runner, blobs: BlobStore())
        }
        while clock.waitCount < 1 || notes.withLock({ $0.isEmpty }) { await Task.yield() }
        suspension.request()
        clock.advance(by: .seconds(1))
        #expect(!process.events.contains { if case .workflowSuspended = $0.kind { true } else { false } })
        resolver.fulfill("answered")
        await #expect(throws: RunSuspended(run: "RUN")) { try await run.value }
        #expect(notes.withLock { $0 } == ["one"])
        #expect(process.events.last?.type == "io.serverlessworkflow.workflow.suspended.v1")
        let output = try await resume(tasks, from: process.events, after: 5) { catalog in
            catalog.register("note", effect: .once) { input, _ in
                notes.withLock { $0.append(input["what"]?.string ?? "") }
                return .value("noted")
            }
        }
        #expect(output == ["answered", "noted"])
        #expect(notes.withLock { $0 } == ["one", "two"])
    }

    @Test func `a journal that cannot be written ends the run before the next effect, and it can be resumed`()
        async throws
    {
        let tasks = """
            - one: { call: note, with: { what: one } }
            - two: { try: [{ note: { call: note, with: { what: two } } }], catch: { do: [{ a: { set: { caught: true } } }] } }
            - three: { call: note, with: { what: three } }
            """
        let total = CrashingRun()
        let register: @Sendable (Locked<[String]>) -> (inout Catalog) -> Void = { notes in
            { catalog in
                catalog.register("note", effect: .once) { input, _ in
                    notes.withLock { $0.append(input["what"]?.string ?? "") }
                    return .value("noted")
                }
            }
        }
        _ = try await total.run(
            Self.workflow(tasks), input: [:], by: .testing(register: register(Locked([]))), blobs: BlobStore())
        for count in 0..<total.events.count {
            let notes = Locked<[String]>([])
            let process = CrashingRun(full: count)
            await #expect(throws: CrashingRun.Full.self, "behind event \(count)") {
                try await process.run(
                    Self.workflow(tasks), input: [:], by: .testing(register: register(notes)), blobs: BlobStore())
            }
            let noted = notes.withLock { $0.count }
            let begun = process.events.count { if case .callStarted = $0.kind { true } else { false } }
            #expect(noted <= begun, "behind event \(count): an effect without a line")
            // What was at work when the disk was full had happened.
            let output = try await resume(
                tasks, from: process.events, after: 5, assuming: noted == begun ? .sent : .notSent,
                register: register(notes))
            #expect(output == "noted" || output == .null, "behind event \(count)")
            #expect(notes.withLock { $0 } == ["one", "two", "three"], "behind event \(count)")
        }
    }

    @Test func `an effect does not follow where the disk does not say that all before it is there`() async throws {
        let notes = Locked(0)
        let process = CrashingRun(failsToFlush: true)
        await #expect(throws: CrashingRun.Full.self) {
            try await process.run(
                Self.workflow("- one: { call: note }"), input: [:],
                by: .testing {
                    $0.register("note", effect: .once) { _, _ in
                        notes.withLock { $0 += 1 }
                        return .value(.null)
                    }
                }, blobs: BlobStore())
        }
        #expect(notes.withLock { $0 } == 0)
    }

    @Test func `a changed file keeps ends up to the first changed task of each list`() throws {
        let before = try Self.workflow(
            """
            - a: { set: { a: 1 } }
            - b: { do: [{ c: { set: { c: 1 } } }, { d: { set: { d: 1 } } }, { e: { set: { e: 1 } } }] }
            - f: { set: { f: 1 } }
            """)
        let after = try Self.workflow(
            """
            - a: { set: { a: 1 } }
            - b: { do: [{ c: { set: { c: 1 } } }, { d: { set: { d: 2 } } }, { e: { set: { e: 1 } } }] }
            - f: { set: { f: 1 } }
            """)
        let changes = WorkflowChanges(from: before, to: after, digest: "sha256:0")
        #expect(changes.kept.map(\.description) == ["/do/0/a", "/do/1/b/do/0/c"])
        #expect(changes.anew.map(\.description) == ["/do/1/b/do/1/d", "/do/2/f"])
    }

    @Test func `a run goes on with a changed file behind what is kept`() async throws {
        func tasks(_ d: Int) -> String {
            """
            - a: { call: note, with: { what: a } }
            - b: { do: [{ c: { call: note, with: { what: c } } }, { d: { set: { d: \(d) } } }] }
            - f: { call: note, with: { what: f }, output: { as: $input } }
            - g: { wait: PT1H }
            """
        }
        let notes = Locked<[String]>([])
        let register: (inout Catalog) -> Void = { catalog in
            catalog.register("note", effect: .once) { input, _ in
                notes.withLock { $0.append(input["what"]?.string ?? "") }
                return .value("noted")
            }
        }
        let events = try await events(
            of: tasks(1), until: { $0.task?.tokens.last == "g" && $0.type.contains("started") }, register: register)
        let (before, after) = (try Self.workflow(tasks(1)), try Self.workflow(tasks(2)))
        let changes = WorkflowChanges(from: before, to: after, digest: "sha256:0")
        let process = CrashingRun(events: events)
        let output = try await process.resume(
            after, input: [:], by: .testing(register: register), blobs: BlobStore(), accepting: changes)
        #expect(output == ["d": 2])
        #expect(notes.withLock { $0 } == ["a", "c", "f", "f"])
        #expect(Set(process.events.map(\.number)).count == process.events.count)
    }
}
