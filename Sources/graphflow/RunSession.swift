import Foundation
import Promises
import Workflows

/// What running and resuming have in common: who is told, where events come from, and how an interruption ends it.
struct RunSession: Sendable {
    /// Where events are written; nil for nowhere.
    var events: String?
    /// Where events are taken; nil for nowhere.
    var listening: UInt16?
    /// The workflow's secrets.
    var secrets: SecretStore
    /// Where runs are kept; nil for a run without a journal.
    var journals: RunsFolder?
    /// Whether Microsoft Graph is inside this program and ends with it.
    var isSandboxed = false

    /// Performs a run, and prints what it gives.
    /// - Parameters:
    ///   - workflow: The workflow, for the places of errors.
    ///   - graph: The Microsoft Graph that it calls.
    ///   - console: Where it reads and writes.
    ///   - past: What happened in the run before.
    ///   - begin: Begins the run, or goes on with it.
    func perform(
        _ workflow: Workflow, over graph: GraphClient, on console: Console, after past: [Event] = [],
        _ begin: @escaping @Sendable (Runner) throws -> Promise<Value>
    ) async throws -> ExitStatus {
        let shown = ConsoleRecorder(console)
        shown.recall(past)
        var recorders = [shown.recorder]
        if let events { recorders.append(try EventFile(events, console).recorder) }
        let states = Locked<[String: RunState]>([:])
        let name = Locked<String?>(nil)
        let stopped = Promise<[JSONPointer]>.pending()
        let unsettled = Locked<[JSONPointer]>([])
        // Behind the console's recorder, so that the tasks have said how they ended before the last word.
        recorders.append(
            Recorder { event in
                states.withLock { $0[event.run, default: RunState()].apply(event) }
                guard event.parent == nil else { return }
                name.withLock { $0 = event.run }
                switch event.kind {
                case .workflowCancelled, .workflowSuspended: stopped.resolver.fulfill(unsettled.withLock { $0 })
                default: break
                }
            })
        var runner = Runner(graph: graph, recorders: recorders)
        runner.secrets = secrets
        runner.environment = console.environment
        runner.journals = journals
        runner.isSandboxed = isSandboxed
        let suspension = Suspension()
        if journals != nil { runner.suspension = suspension }
        let server = try listening.map { port in
            let bus = EventBus()
            runner.events = bus
            return try ListenOption.serve(bus, at: port, console)
        }
        defer { server?.stop() }
        // Nothing begins before signals are watched: one that comes at once must find a run that it can end in order.
        let start = Promise<Void>.pending()
        let promise = start.promise.then(on: nil) { [runner] in try begin(runner) }
        let processes = runner.processes
        let isKept = journals != nil
        let interruption = Interruption(on: console, atOnce: { processes.kill() }) {
            guard !isKept else { return suspension.request() }
            let (open, hasBegun) = states.withLock { ($0.values.flatMap(\.unsettled), !$0.isEmpty) }
            unsettled.withLock { $0 = open }
            promise.cancel()
            // Of a run that had not begun no event tells the end.
            if !hasBegun { stopped.resolver.fulfill(open) }
        }
        defer {
            interruption.end()
            stopped.resolver.fulfill([])
        }
        start.resolver.fulfill(())
        do {
            console.print(try await Self.outcome(of: promise, leaving: processes).get())
            return .success
        } catch let error as WorkflowError {
            let run = isKept ? name.withLock { $0 } : nil
            throw RunFailure(error, of: workflow, run: isSandboxed ? nil : run)
        } catch let error as RunSuspended {
            guard let status = interruption.status else { throw error }
            console.complain(farewell(to: error.run))
            return status
        } catch  where error.isCancelled {
            guard let status = interruption.status else { throw error }
            // The tasks say first how they ended.
            console.complain(Self.farewell(unsettled: try await stopped.promise.value))
            return status
        }
    }

    /// How the run ended, as soon as no program is left of those that were interrupted with it.
    private static func outcome(
        of run: Promise<Value>, leaving processes: ChildProcesses
    ) async throws -> Result<Value, any Error> {
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await run.value) } catch { outcome = .failure(error) }
        try await processes.allEnded.value
        return outcome
    }

    private func farewell(to run: String) -> String {
        isSandboxed
            ? "interrupted; a run with '--sandbox' cannot be resumed, because its Microsoft Graph ends with it"
            : "interrupted; resume with: graphflow resume \(run)"
    }

    private static func farewell(unsettled: [JSONPointer]) -> String {
        guard let task = unsettled.last?.tokens.last else { return "interrupted; nothing more was begun" }
        return "interrupted while '\(PlainText.line(task, limit: 100))' was at work, which must happen once: "
            + "check whether it happened before you run the workflow again"
    }
}
