import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// Every sample, in random schedules.
@Suite struct SampleScheduleTests {
    /// The result of a sample: its output or its error.
    private struct Outcome: Equatable {
        var output: Value?
        var error: Object?
    }

    /// In its own process, where nothing else is scheduled, so that a seed reproduces its schedule.
    @Test(.timeLimit(.minutes(60)))
    func `the samples give the same outputs in random schedules`() async {
        await #expect(processExitsWith: .success) {
            for sample in SampleWorkflow.all {
                let first = try await SampleScheduleTests.run(sample, seed: nil)
                #expect(sample.output == nil || first.output == sample.output, "\(sample), in order")
                for seed in 1...Extent.of(50, or: 2) {
                    let outcome = try await SampleScheduleTests.run(sample, seed: UInt64(seed))
                    #expect(outcome == first, "\(sample), schedule \(seed)")
                }
            }
        }
    }

    private static func run(_ sample: SampleWorkflow, seed: UInt64?) async throws -> Outcome {
        if let seed { RandomOrder.begin(seed: seed) }
        defer { RandomOrder.end() }
        let workflow = try sample.workflow
        let clock = RandomClock()
        let log = EventLog()
        // The service's random values must be the same each time.
        let sandbox = Sandbox(now: { Date(timeIntervalSince1970: 1_750_000_000) }, random: Draws())
        var runner = Runner.testing(sandbox: sandbox, clock: clock, recorders: [log.recorder])
        let transport = CountingTransport(runner.graph.transport)
        runner.graph.transport = transport
        let processes = runner.processes
        let run = runner.run(workflow, input: sample.input)
        var (quiet, mark) = (0, 0)
        while run.isPending {
            // A process ends by itself; until then there is nothing to do.
            try await processes.noneLeft.value
            await turn()
            let now = clock.waitCount + log.count
            let isQuiet =
                now == mark && transport.openCount == 0 && !Self.isProgramAtWork(log, in: workflow)
                && !Self.areThreadsAtWork
            (quiet, mark) = (isQuiet ? quiet + 1 : 0, now)
            guard quiet == 3 else { continue }
            quiet = 0
            clock.moveOn()
        }
        do {
            return Outcome(output: try await run.value)
        } catch let error as WorkflowError {
            return Outcome(error: error.members)
        }
    }

    /// Whether a program is running; the clock must not reach its time limit meanwhile.
    private static func isProgramAtWork(_ log: EventLog, in workflow: Workflow) -> Bool {
        log.events.reduce(0) { count, event in
            guard let task = event.task, workflow.document.value[task]?["run"] != nil else { return count }
            return switch event.kind {
            case .callStarted: count + 1
            case .callEnded: count - 1
            default: count
            }
        } > 0
    }

    /// Whether another thread than this one runs, could run, or waits for the disk: on a busy machine, it may be late.
    private static var areThreadsAtWork: Bool {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        let working = threads.filter { thread in
            let state = (try? String(contentsOfFile: "/proc/self/task/\(thread)/stat", encoding: .utf8))?
                .split(separator: ")").last?.split(separator: " ").first
            return state == "R" || state == "D"
        }
        return working.count > 1
    }

    /// Waits until everything that was ready has run.
    private static func turn() async {
        await withCheckedContinuation { continuation in
            (conf.Q.map ?? .global()).async { continuation.resume() }
        }
    }

    /// Draws the same numbers each time.
    private struct Draws: RandomNumberGenerator, Sendable {
        private var state: UInt64 = 1

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state
        }
    }
}
