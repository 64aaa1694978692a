import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// Waits, time limits and races in runs that are interrupted and resumed.
@Suite struct DurabilityTests {
    @Test(arguments: [(0, [10.0]), (4, [6]), (30, [0])] as [(Double, [Double])])
    func `of a wait only the rest is left`(delay: Double, waits: [Double]) async throws {
        let tasks = "- rest: { wait: '${ { seconds: (7 + 3) } }' }"
        let events = try await InterruptedRun.events(of: tasks) { if case .decided = $0.kind { true } else { false } }
        let clock = SkippingClock()
        _ = try await InterruptedRun.resume(tasks, from: events, after: delay, clock: clock)
        #expect(clock.waits.map(\.seconds) == waits)
    }

    @Test func `of the delay of a retry only the rest is left, and attempts are counted on`() async throws {
        let tasks = """
            - attempt:
                try: [{ refuse: { raise: { error: { type: https://contoso.com/no, status: 503 } } } }]
                catch: { retry: { delay: PT10S, limit: { attempt: { count: 2 } } }, do: [{ say: { set: { gave: up } } }] }
            """
        let events = try await InterruptedRun.events(of: tasks) {
            if case .taskRetried = $0.kind { true } else { false }
        }
        let clock = SkippingClock()
        #expect(try await InterruptedRun.resume(tasks, from: events, after: 4, clock: clock) == ["gave": "up"])
        #expect(clock.waits.map(\.seconds) == [6, 10])
    }

    @Test(arguments: [(4.0, true), (30.0, false)])
    func `a timeout counts the time in which nobody was at work`(delay: Double, isInTime: Bool) async throws {
        let tasks =
            "- limited: { timeout: { after: PT20S }, do: [{ rest: { wait: PT1S } }, { say: { set: { a: 1 } } }] }"
        let events = try await InterruptedRun.events(of: tasks) {
            $0.task?.tokens.last == "rest" && $0.type.contains("started")
        }
        let clock = ManualClock()
        if isInTime {
            let resumed = Task { try await InterruptedRun.resume(tasks, from: events, after: delay, clock: clock) }
            while clock.waitCount < 1 { await pause() }
            clock.advance(by: .seconds(1))
            #expect(try await resumed.value == ["a": 1])
        } else {
            let error = await #expect(throws: WorkflowError.self) {
                try await InterruptedRun.resume(tasks, from: events, after: delay, clock: clock)
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
        let events = try await InterruptedRun.events(of: tasks) { event in
            event.task?.tokens.last == "fast" && event.type.contains("completed")
        } register: {
            $0.register("note", effect: .once) { _, _ in .value(.null) }
        }
        let output = try await InterruptedRun.resume(tasks, from: events, after: 5) { catalog in
            catalog.register("note", effect: .once) { _, _ in
                notes.withLock { $0 += 1 }
                return .value(.null)
            }
        }
        #expect(output == ["first": true])
        #expect(notes.withLock { $0 } == 0)
    }
}
