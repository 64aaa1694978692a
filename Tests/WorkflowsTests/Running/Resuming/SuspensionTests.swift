import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// Runs that stop on request, or because their journal cannot be written.
@Suite struct SuspensionTests {
    @Test func `every run is interrupted, and none that is over`() {
        let suspension = Suspension()
        let asked = Locked<[String]>([])
        let tickets = ["first", "second", "third"].map { name in
            suspension.add({ asked.withLock { $0.append(name) } }, giveUp: {})
        }
        suspension.remove(tickets[1])
        suspension.request()
        #expect(asked.withLock { $0 } == ["first", "third"])
        _ = suspension.add({ asked.withLock { $0.append("late") } }, giveUp: {})
        #expect(asked.withLock { $0 } == ["first", "third", "late"])
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
            try await process.run(Workflow(tasks: tasks), input: [:], by: runner, blobs: BlobStore())
        }
        while clock.waitCount < 1 || notes.withLock({ $0.isEmpty }) { await pause() }
        suspension.request()
        clock.advance(by: .seconds(1))
        #expect(!process.events.contains { if case .workflowSuspended = $0.kind { true } else { false } })
        resolver.fulfill("answered")
        await #expect(throws: RunSuspended(run: "RUN")) { try await run.value }
        #expect(notes.withLock { $0 } == ["one"])
        #expect(process.events.last?.type == "io.serverlessworkflow.workflow.suspended.v1")
        let output = try await InterruptedRun.resume(tasks, from: process.events, after: 5) { catalog in
            catalog.register("note", effect: .once) { input, _ in
                notes.withLock { $0.append(input["what"]?.string ?? "") }
                return .value("noted")
            }
        }
        #expect(output == ["answered", "noted"])
        #expect(notes.withLock { $0 } == ["one", "two"])
    }

    @Test func `a computation that a suspension interrupts is not how the run ends`() async throws {
        let hasEnded = Locked(false)
        // The computation ends while the journal is closed, which may take the disk some time.
        // Real time: if it is too short for the computation, the run only ends later.
        let process = CrashingRun(close: {
            for _ in 0..<20 where !hasEnded.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.01) }
        })
        let suspension = Suspension()
        var runner = Runner.testing()
        runner.suspension = suspension
        let values = (0..<100).map { "a\($0): '${ last(range(9000000)) }'" }.joined(separator: ", ")
        let tasks = "- compute: { set: { \(values) } }"
        let run = Task { [runner] in
            defer { hasEnded.withLock { $0 = true } }
            return try await process.run(Workflow(tasks: tasks), input: [:], by: runner, blobs: BlobStore())
        }
        while !process.events.contains(where: { $0.task?.description == "/do/0/compute" }) { await pause() }
        suspension.request()
        await #expect(throws: RunSuspended(run: "RUN")) { try await run.value }
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
            Workflow(tasks: tasks), input: [:], by: .testing(register: register(Locked([]))), blobs: BlobStore())
        for count in 0..<total.events.count {
            let notes = Locked<[String]>([])
            let process = CrashingRun(full: count)
            await #expect(throws: CrashingRun.Full.self, "behind event \(count)") {
                try await process.run(
                    Workflow(tasks: tasks), input: [:], by: .testing(register: register(notes)), blobs: BlobStore())
            }
            let noted = notes.withLock { $0.count }
            let begun = process.events.count { if case .callStarted = $0.kind { true } else { false } }
            #expect(noted <= begun, "behind event \(count): an effect without a line")
            // The effect that was running when the disk became full had happened.
            let output = try await InterruptedRun.resume(
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
                Workflow(tasks: "- one: { call: note }"), input: [:],
                by: .testing {
                    $0.register("note", effect: .once) { _, _ in
                        notes.withLock { $0 += 1 }
                        return .value(.null)
                    }
                }, blobs: BlobStore())
        }
        #expect(notes.withLock { $0 } == 0)
    }
}
