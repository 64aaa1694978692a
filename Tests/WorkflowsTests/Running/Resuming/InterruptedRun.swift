import Foundation
import Promises
import TestSupport
import Testing

@testable import Workflows

/// A run whose process ends after one of its events, and its continuation.
enum InterruptedRun {
    private static let start = Date(timeIntervalSince1970: 1_750_000_000)

    /// Runs until an event is written, and returns the events up to it.
    static func events(
        of tasks: String, until isLast: @escaping @Sendable (Event) -> Bool, sandbox: Sandbox = Sandbox(),
        register: (inout Catalog) -> Void = { _ in }
    ) async throws -> [Event] {
        let process = CrashingRun(endingWith: isLast)
        var runner = Runner.testing(sandbox: sandbox, clock: ManualClock(), register: register)
        runner.now = { start }
        let output = try await process.run(Workflow(tasks: tasks), input: [:], by: runner, blobs: BlobStore())
        #expect(output == nil)
        return process.events
    }

    /// Continues from a journal, this many seconds after the run began; nil if it is interrupted again.
    static func resume(
        _ tasks: String, from events: [Event], after delay: TimeInterval, clock: any PromiseClock = SkippingClock(),
        sandbox: Sandbox = Sandbox(), assuming assumption: Runner.Assumption? = nil,
        register: (inout Catalog) -> Void = { _ in }
    ) async throws -> Value? {
        var runner = Runner.testing(sandbox: sandbox, clock: clock, register: register)
        runner.now = { start + delay }
        return try await CrashingRun(events: events).resume(
            Workflow(tasks: tasks), input: [:], by: runner, blobs: BlobStore(), assuming: assumption)
    }
}
