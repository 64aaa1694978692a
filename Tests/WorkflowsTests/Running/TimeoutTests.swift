import Promises
import Testing
import TestSupport
import Workflows

/// Tasks and runs that take too long or are cancelled.
@Suite struct TimeoutTests {
    /// A function that never ends by itself, and reports when it began and when it was cancelled.
    private struct Endless: Sendable {
        let began = Promise<Void>.pending()
        let wasCancelled = Promise<Void>.pending()
        private let work = Promise<Value>.pending()

        func register(_ catalog: inout Catalog, effect: Idempotency) {
            catalog.register("endless", effect: effect) { _, _ in
                self.work.resolver.onCancel { self.wasCancelled.resolver.fulfill(()) }
                self.began.resolver.fulfill(())
                return self.work.promise
            }
        }
    }

    @Test(arguments: [
        ("- slow: { call: endless, timeout: { after: PT5S } }", "", "/do/0/slow"),
        (
            "- slow: { call: endless, timeout: brief }", "use: { timeouts: { brief: { after: { seconds: 5 } } } }",
            "/do/0/slow"
        ),
        ("- slow: { call: endless }", "timeout: { after: PT5S }", ""),
    ])
    func `a timeout interrupts the work and is an error 408`(task: String, rest: String, instance: String) async throws
    {
        let endless = Endless()
        let clock = ManualClock()
        let runner = Runner.testing(clock: clock) { endless.register(&$0, effect: .read) }
        let run = runner.run(try Workflow(tasks: task, rest: rest))
        try await endless.began.promise.value
        clock.advance(by: .milliseconds(4_999))
        #expect(run.isPending)
        clock.advance(by: .milliseconds(1))
        let error = await #expect(throws: WorkflowError.self) { try await run.value }
        #expect(error?.type == "https://serverlessworkflow.io/spec/1.0.0/errors/timeout")
        #expect(error?.status == 408)
        #expect(error?.instance == instance)
        try await endless.wasCancelled.promise.value
    }

    @Test func `a timeout while a mail may be on its way is an unknown outcome`() async throws {
        let endless = Endless()
        let clock = ManualClock()
        let runner = Runner.testing(clock: clock) { endless.register(&$0, effect: .once) }
        let run = runner.run(
            try Workflow(tasks: "- slow: { do: [ { send: { call: endless } } ], timeout: { after: PT5S } }"))
        try await endless.began.promise.value
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: WorkflowError.self) { try await run.value }
        #expect(error?.type == "urn:graphflow:error:unknown-outcome")
    }

    @Test(arguments: ["before", "after"])
    func `the same holds for a call of an extension inside the task`(place: String) async throws {
        let endless = Endless()
        let clock = ManualClock()
        let runner = Runner.testing(clock: clock) { endless.register(&$0, effect: .once) }
        let run = runner.run(
            try Workflow(
                tasks: "- slow: { do: [ { inner: { set: { a: 1 } } } ], timeout: { after: PT5S } }",
                rest: "use: { extensions: [ { e: { extend: set, \(place): [ { send: { call: endless } } ] } } ] }"))
        try await endless.began.promise.value
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: WorkflowError.self) { try await run.value }
        #expect(error?.type == "urn:graphflow:error:unknown-outcome")
    }

    @Test(arguments: [
        "use: { functions: { f: { call: endless } } }",
        "use: { functions: { f: { do: [ { send: { call: endless } } ] } } }",
    ])
    func `the same holds for a call inside a function`(use: String) async throws {
        let tasks = """
            - first: { switch: [ { go: { then: slow } } ] }
            - never: { wait: PT1H }
            - slow: { do: [ { inner: { call: f } } ], timeout: { after: PT5S } }
            """
        for tasks in [tasks, "- slow: { do: [ { inner: { call: f } } ], timeout: { after: PT5S } }"] {
            let endless = Endless()
            let clock = ManualClock()
            let runner = Runner.testing(clock: clock) { endless.register(&$0, effect: .once) }
            let run = runner.run(try Workflow(tasks: tasks, rest: use))
            try await endless.began.promise.value
            clock.advance(by: .seconds(5))
            let error = await #expect(throws: WorkflowError.self) { try await run.value }
            #expect(error?.type == "urn:graphflow:error:unknown-outcome")
        }
    }

    @Test func `cancelling a run cancels what is going on and tells so`() async throws {
        let endless = Endless()
        let log = EventLog()
        let runner = Runner.testing(clock: ManualClock(), recorders: [log.recorder]) {
            endless.register(&$0, effect: .read)
        }
        let run = runner.run(try Workflow(tasks: "- outer: { do: [ { slow: { call: endless } } ] }"))
        try await endless.began.promise.value
        run.cancel()
        await #expect(throws: (any Error).self) { try await run.value }
        try await endless.wasCancelled.promise.value
        #expect(
            log.summary.suffix(3) == [
                "task.cancelled /do/0/outer/do/0/slow", "task.cancelled /do/0/outer", "workflow.cancelled",
            ])
    }

    @Test func `nothing begins after a run that is cancelled while a task begins`() async throws {
        let log = EventLog()
        let clock = ManualClock()
        let started = Locked<Promise<Value>?>(nil)
        // Who cancels a run is notified before its tasks have ended.
        let cancelled = Promise<Void>.pending()
        let last = Recorder { if case .workflowCancelled = $0.kind { cancelled.resolver.fulfill(()) } }
        let runner = Runner.testing(clock: clock, recorders: [log.recorder, last]) { catalog in
            catalog.register("stop", effect: .read) { _, _ in
                started.withLock { $0 }?.cancel()
                return .value(1)
            }
        }
        let run = runner.run(
            try Workflow(
                tasks: """
                    - pause: { wait: PT1S }
                    - stop: { call: stop }
                    - next: { set: { a: 1 } }
                    """))
        started.withLock { $0 = run }
        clock.advance(by: .seconds(1))
        await #expect(throws: (any Error).self) { try await run.value }
        try await cancelled.promise.value
        #expect(!log.summary.contains("task.started /do/2/next"))
    }

    @Test func `work that ends in time leaves no alarm behind`() async throws {
        let clock = ManualClock()
        let runner = Runner.testing(clock: clock)
        let workflow = try Workflow(tasks: "- quick: { set: { a: 1 }, timeout: { after: PT5S } }")
        #expect(try await runner.run(workflow).value == ["a": 1])
        await clock.allEnded()
    }
}
