import Foundation
import Promises
import TestSupport

@testable import Workflows

/// A run in a process that ends in the middle: after one event it has no more effects.
final class CrashingRun: Sendable {
    private struct State {
        var events: [Event] = []
        var isDead = false
        var flushes = 0
        /// The number of events on disk.
        var flushed = 0
    }

    private let state = Locked(State())
    /// Nothing can be written any more.
    struct Full: Error {}

    private let isLast: @Sendable (_ event: Event, _ count: Int) -> Bool
    private let room: Int
    private let failsToFlush: Bool
    private let close: @Sendable () -> Void
    private let death = Promise<Void>.pending()

    /// - Parameters:
    ///   - limit: The number of events after which the process ends.
    ///   - room: How many events can be written.
    ///   - failsToFlush: Whether nothing can be flushed.
    ///   - events: The journal's events.
    ///   - close: What closing the journal does.
    init(
        endingAfter limit: Int = .max, full room: Int = .max, failsToFlush: Bool = false, events: [Event] = [],
        close: @escaping @Sendable () -> Void = {}
    ) {
        self.close = close
        isLast = { _, count in count >= limit }
        self.room = room
        self.failsToFlush = failsToFlush
        state.withLock { $0.events = events }
    }

    /// - Parameter isLast: The event after which the process ends.
    init(endingWith isLast: @escaping @Sendable (Event) -> Bool) {
        self.isLast = { event, _ in isLast(event) }
        room = .max
        failsToFlush = false
        close = {}
    }

    static let identity = RunIdentity(
        id: "RUN", startedAt: Date(timeIntervalSince1970: 1_750_000_000), sealing: SealSource())

    deinit { death.resolver.fulfill(()) }

    /// The journal's events.
    var events: [Event] { state.withLock { $0.events } }

    /// How often there was something to flush.
    var flushCount: Int { state.withLock { $0.flushes } }

    /// Whether the process has ended.
    var isDead: Bool { state.withLock { $0.isDead } }

    /// The journal.
    var log: RunLog {
        RunLog(
            append: { searched in
                let event = searched.event
                let isEnd = try self.state.withLock { state in
                    guard !state.isDead else { return false }
                    guard state.events.count < self.room else { throw Full() }
                    state.events.append(event)
                    state.isDead = self.isLast(event, state.events.count)
                    return state.isDead
                }
                // Called from another thread, since the run is locked here.
                if isEnd { DispatchQueue.global().async { self.death.resolver.fulfill(()) } }
                return nil
            },
            flush: {
                if self.failsToFlush { throw Full() }
                self.state.withLock { state in
                    if state.flushed < state.events.count { state.flushes += 1 }
                    state.flushed = state.events.count
                }
            }, finish: { _ in }, close: close, blobs: BlobStore())
    }

    /// Runs a workflow until it is complete; nil if the process ends first.
    func run(_ workflow: Workflow, input: Value, by runner: Runner, blobs: BlobStore) async throws -> Value? {
        var runner = runner
        runner.graph.transport = MortalTransport(runner.graph.transport, of: self)
        var log = log
        log.blobs = blobs
        let run = Run(
            workflow, by: runner, library: WorkflowLibrary(of: workflow), as: Self.identity, log: log)
        return try await outcome(of: runner.perform(run, input))
    }

    /// Continues a run whose process has ended.
    func resume(
        _ workflow: Workflow, input: Value, by runner: Runner, blobs: BlobStore,
        assuming assumption: Runner.Assumption? = nil, accepting changes: WorkflowChanges? = nil,
        beginningAt place: Event.Parent? = nil
    ) async throws -> Value? {
        var runner = runner
        runner.graph.transport = MortalTransport(runner.graph.transport, of: self)
        var log = log
        log.blobs = blobs
        return try await outcome(
            of: runner.resume(
                workflow, as: Self.identity, input: input, from: events, log: log,
                Event.Resumption(digest: changes?.digest, anew: changes?.anew ?? [], from: place), assuming: assumption)
        )
    }

    private func outcome(of run: Promise<Value>) async throws -> Value? {
        let ended = death.promise.map { Value?.none }
        let outcome = try await race(run.map { Optional($0) }, ended).value
        return isDead ? nil : outcome
    }
}

/// The transport of a process that may have ended.
private struct MortalTransport: HTTPTransport {
    let inner: any HTTPTransport
    let process: CrashingRun

    init(_ inner: any HTTPTransport, of process: CrashingRun) {
        self.inner = inner
        self.process = process
    }

    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        guard !process.isDead else { return .never }
        return inner.send(request, for: operation).then(on: nil) { response -> Promise<HTTPResponse> in
            process.isDead ? Promise<HTTPResponse>.never : Promise.value(response)
        }
    }
}
