import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// dsl.md, "Scheduling".
struct SchedulerTests {
    private let clock = ManualClock()
    private let ended = Locked<[String]>([])
    private let base = Date(timeIntervalSince1970: 1_767_225_600)  // 2026-01-01T00:00:00Z, a Thursday

    private func scheduler(_ schedule: String, tasks: String) throws -> Scheduler {
        var runner = Runner.testing(clock: clock)
        runner.now = { [base, clock] in base.addingTimeInterval(clock.now.seconds) }
        let workflow = try Workflow(tasks: tasks, rest: "schedule: \(schedule)")
        let scheduler = Scheduler(workflow, by: runner, in: .utc) { result in
            switch result {
            case .success(let output):
                self.ended.withLock { $0.append("\(Int(self.clock.now.seconds)) \(output.json())") }
            case .failure(let error): self.ended.withLock { $0.append("\(Int(self.clock.now.seconds)) \(error)") }
            }
        }
        return try #require(scheduler)
    }

    /// Lets time pass step by step, and waits for the effects of each step.
    /// - Parameter waits: The number of pending waits when nothing is running, by the number of runs.
    private func pass(
        _ seconds: Int, in step: Int = 1, of scheduler: Scheduler, waits: (_ runs: Int) -> Int
    ) async {
        for _ in 0...(seconds / step) {
            while clock.waitCount != waits(scheduler.activeRuns) { await pause() }
            guard Int(clock.now.seconds) < seconds else { return }
            clock.advance(by: .seconds(step))
        }
    }

    @Test(arguments: [
        "{ every: 1 }", "{ after: [1] }", "{ every: soon }", "{ every: '${ .time }' }", "{ every: PT0S }",
    ])
    func `a schedule that is wrong is reported once`(schedule: String) {
        let error = #expect(throws: InvalidWorkflow.self) {
            try Workflow(tasks: "- a: { set: { a: 1 } }", rest: "schedule: \(schedule)")
        }
        #expect(error?.diagnostics.count == 1)
    }

    @Test func `every: runs start at the interval, regardless of the previous run's status`() async throws {
        let scheduler = try scheduler("{ every: PT10S }", tasks: "- a: { wait: PT25S }")
        let serving = scheduler.run()
        await pass(34, of: scheduler) { 1 + $0 }
        #expect(scheduler.activeRuns == 3)
        #expect(ended.withLock { $0 } == ["25 {}"])
        serving.cancel()
    }

    @Test func `after: the delay begins after the run completes`() async throws {
        let scheduler = try scheduler("{ after: PT10S }", tasks: "- a: { wait: PT5S }")
        let serving = scheduler.run()
        await pass(40, of: scheduler) { _ in 1 }
        #expect(ended.withLock { $0 } == ["5 {}", "20 {}", "35 {}"])
        #expect(scheduler.activeRuns == 0)
        serving.cancel()
    }

    @Test func `cron: runs start when clocks show the time, and a run that fails stops nothing`() async throws {
        let scheduler = try scheduler(
            "{ cron: '*/5 * * * *' }",
            tasks: "- a: { raise: { error: { type: 'https://contoso.com/e', status: 418, title: No coffee } } }")
        let serving = scheduler.run()
        await pass(900, in: 10, of: scheduler) { 1 + $0 }
        #expect(ended.withLock { $0 } == ["300", "600", "900"].map { "\($0) No coffee (418)" })
        serving.cancel()
    }

    @Test func `whoever stops the schedule ends the runs that are going on`() async throws {
        let scheduler = try scheduler("{ every: PT10S }", tasks: "- a: { wait: PT25S }")
        let serving = scheduler.run()
        await pass(12, of: scheduler) { 1 + $0 }
        #expect(scheduler.activeRuns == 2)
        serving.cancel()
        while scheduler.activeRuns > 0 || clock.waitCount > 0 { await pause() }
        #expect(serving.isRejected)
    }

    @Test func `the sample runs on working days at nine`() async throws {
        let repository = URL(fileURLWithPath: #filePath).appending(path: "../../../..").standardizedFileURL
        let workflow = try Workflow(contentsOf: repository.appending(path: "workflows/schedule.yaml"))
        #expect(workflow.validate().isEmpty)
        let sandbox = Sandbox()
        var runner = Runner.testing(sandbox: sandbox, clock: clock)
        runner.now = { [base, clock] in base.addingTimeInterval(clock.now.seconds) }
        let zone = try SystemTimeZone(identifier: "Europe/Berlin")
        let scheduler = try #require(Scheduler(workflow, by: runner, in: zone) { _ in })
        let serving = scheduler.run()
        // Thursday and Friday.
        await pass(34 * 3_600, in: 30, of: scheduler) { 1 + $0 }
        #expect(sandbox.outbox.map(\.subject) == ["Good morning", "Good morning"])
        serving.cancel()
    }

    @Test func `a workflow without a schedule has no scheduler`() throws {
        #expect(Scheduler(try Workflow(tasks: "- a: { set: { b: 1 } }"), by: .testing(), in: .utc) { _ in } == nil)
    }

    private func event(_ type: String, _ data: Value) throws -> CloudEvent {
        try CloudEvent(["specversion": "1.0", "id": "1", "source": "/test", "type": .string(type), "data": data])
    }

    @Test(arguments: [
        ("{ one: { with: { type: t } } }", ["[1]", "[2]"]),
        ("{ any: [{ with: { type: t } }, { with: { type: u } }] }", ["[1]", "[9]", "[2]"]),
        ("{ all: [{ with: { type: t } }, { with: { type: u } }] }", ["[1,9]"]),
        ("{ one: { with: { type: t, data: '${ . > 1 }' } } }", ["[2]"]),
        ("{ any: [{ with: { type: t } }], until: '. | length == 2' }", ["[1,2]"]),
    ])
    func `on: the events that trigger the workflow are its input, in an array`(
        events: String, outputs: [String]
    ) async throws {
        let bus = EventBus()
        bus.publish(try event("t", 0))
        var runner = Runner.testing()
        runner.events = bus
        let workflow = try Workflow(
            tasks: "- a: { set: '${ $workflow.input | map(.data) }' }", rest: "schedule: { on: \(events) }")
        let scheduler = try #require(
            Scheduler(workflow, by: runner, in: .utc) { result in
                if case .success(let output) = result { self.ended.withLock { $0.append(output.json()) } }
            })
        let serving = scheduler.run()
        for (type, data) in [("t", 1), ("other", 5), ("u", 9), ("t", 2)] as [(String, Value)] {
            bus.publish(try event(type, data))
        }
        while ended.withLock({ $0.count }) < outputs.count { await pause() }
        #expect(ended.withLock { $0 }.sorted() == outputs.sorted())
        serving.cancel()
    }

    @Test(arguments: [
        ("", #"["t",{"n":1}]"#), (", read: envelope", #"["t",{"n":1}]"#), (", read: data", #"[null,1]"#),
        (", read: raw", #""{\"n\":1}""#),
    ])
    func `on: read says what the input has of each event; without it, the whole events`(
        read: String, output: String
    ) async throws {
        let bus = EventBus()
        var runner = Runner.testing()
        runner.events = bus
        let shown = "${ $workflow.input[0] | if type == \"string\" then . else [.type, .data // .n] end }"
        let workflow = try Workflow(
            tasks: "- a: { set: '\(shown)' }", rest: "schedule: { on: { one: { with: { type: t } } }\(read) }")
        let scheduler = try #require(
            Scheduler(workflow, by: runner, in: .utc) { result in
                if case .success(let output) = result { self.ended.withLock { $0.append(output.json()) } }
            })
        let serving = scheduler.run()
        bus.publish(try event("t", ["n": 1]))
        while ended.withLock({ $0.isEmpty }) { await pause() }
        #expect(ended.withLock { $0 } == [output])
        serving.cancel()
    }

    @Test func `every: the interval counts from the start of the schedule, whatever the clock shows`() async throws {
        clock.advance(by: .seconds(7))
        let scheduler = try scheduler("{ every: PT10S }", tasks: "- a: { wait: PT1S }")
        let serving = scheduler.run()
        await pass(40, of: scheduler) { 1 + $0 }
        #expect(ended.withLock { $0 } == ["8 {}", "18 {}", "28 {}", "38 {}"])
        serving.cancel()
    }
}

/// Times that a service missed.
struct CatchUpTests {
    @Test(arguments: [
        (CatchUp.none, 0), (.one, 1), (.all, 3),
    ])
    func `missed times are made up for as the option says`(catchUp: CatchUp, count: Int) throws {
        let expression = try CronExpression("0 5 * * *")
        let monday = Date(timeIntervalSince1970: 1_767_571_200)  // 2026-01-05T00:00:00Z
        let times = catchUp.times(
            of: expression, after: monday, until: monday.addingTimeInterval(3 * 86_400), in: .utc)
        #expect(times.count == count)
        #expect(times.last.map { $0 == monday.addingTimeInterval(2 * 86_400 + 5 * 3_600) } ?? true)
    }

    @Test func `not more are made up for than a mistake may start`() throws {
        let expression = try CronExpression("* * * * *")
        let start = Date(timeIntervalSince1970: 1_767_571_200)
        let times = CatchUp.all.times(
            of: expression, after: start, until: start.addingTimeInterval(72_000), in: .utc)
        #expect(times.count == CatchUp.most)
        #expect(times.last == start.addingTimeInterval(72_000))
    }
}
