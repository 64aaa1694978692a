import Foundation
import Promises
import Workflows

/// What running and resuming have in common: who is notified, where events come from, and how an interruption ends it.
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
        let followed = FollowedRun()
        var runner = try runner(over: graph, on: console, after: past, followed)
        let server = try listening.map { port in
            let bus = EventBus()
            runner.events = bus
            return try ListenOption.serve(bus, at: port, console)
        }
        defer { server?.stop() }
        // Nothing begins before signals are watched: one that comes at once must find a run that it can end in order.
        let start = Promise<Void>.pending()
        let run = start.promise.then(on: nil) { [runner] in try begin(runner) }
        let (processes, suspension) = (runner.processes, runner.suspension)
        let interruption = Interruption(on: console, atOnce: { processes.kill() }) {
            if let suspension { suspension.request() } else { followed.cancel(run) }
        }
        defer {
            interruption.end()
            followed.stop()
        }
        start.resolver.fulfill(())
        do {
            console.print(try await Self.outcome(of: run, leaving: processes).get())
            return .success
        } catch let error as WorkflowError {
            throw RunFailure(error, of: workflow, run: journals == nil || isSandboxed ? nil : followed.id)
        } catch  where error.isCancelled {
            guard let status = interruption.status else { throw error }
            console.complain(try await farewell(to: followed, after: error))
            return status
        }
    }

    /// What performs the run, as the command's options have it.
    private func runner(
        over graph: GraphClient, on console: Console, after past: [Event], _ followed: FollowedRun
    ) throws -> Runner {
        let shown = ConsoleRecorder(console)
        shown.recall(past)
        var recorders = [shown.recorder]
        if let events { recorders.append(try EventFile(events, console).recorder) }
        // After the console's recorder, so that the tasks have said how they ended before the last word.
        recorders.append(followed.recorder)
        var runner = Runner(graph: graph, recorders: recorders)
        runner.secrets = secrets
        runner.environment = console.environment
        runner.journals = journals
        runner.isSandboxed = isSandboxed
        if journals != nil { runner.suspension = Suspension() }
        return runner
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

    /// The last word about a run that was interrupted.
    private func farewell(to run: FollowedRun, after error: any Error) async throws -> String {
        if let suspended = error as? RunSuspended {
            return isSandboxed
                ? "interrupted; a run with '--sandbox' cannot be resumed, because its Microsoft Graph ends with it"
                : "interrupted; resume with: graphflow resume \(suspended.run)"
        }
        // The tasks say first how they ended.
        guard let task = try await run.unsettled.value.last?.tokens.last else {
            return "interrupted; nothing more was begun"
        }
        return "interrupted while '\(PlainText.line(task, limit: 100))' was at work, which must happen once: "
            + "check whether it happened before you run the workflow again"
    }
}
