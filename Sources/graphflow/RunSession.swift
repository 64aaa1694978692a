/// What `run` and `resume` share: recorders, the source of events, and interruption.
struct RunSession: Sendable {
    /// Where events are written; nil for nowhere.
    var events: String?
    /// The port where events are received; nil for none.
    var listening: UInt16?
    var options: RunnerSettings
    /// Where runs are kept; nil for a run without a journal.
    var journals: RunsFolder?
    /// Whether Microsoft Graph is a sandbox, which ends with this program.
    var isSandboxed = false
    /// Reports the run's end; nil for no notifications.
    var notifier: Notifier?
    /// The approvals of the plan that the run follows; nil for none.
    var approvals: RunApprovals?
    var detail = ConsoleRecorder.Detail.usual

    /// Performs a run, and prints its output.
    /// - Parameters:
    ///   - workflow: The workflow, for the positions of errors.
    ///   - graph: The Microsoft Graph that the run calls.
    ///   - past: The earlier events of a run that is resumed.
    ///   - begin: Begins or resumes the run.
    func perform(
        _ workflow: Workflow, over graph: GraphClient, on console: Console, after past: [Event] = [],
        _ begin: @escaping @Sendable (Runner) throws -> Promise<Value>
    ) async throws -> ExitStatus {
        let followed = FollowedRun()
        let isAlone = events != "-" || !console.outputIsTerminal
        let shown = ConsoleRecorder(console, workflow, detail, after: past, isAlone: isAlone)
        defer { shown.end() }
        var runner = try runner(over: graph, on: console, shown, followed)
        let bus = EventBus()
        let server = try listening.map { port in
            runner.events = bus
            let server = EventServer(bus)
            try ListenOption.open(server, at: Reception(at: .loopback(port: port)), console)
            return server
        }
        defer { server?.stop() }
        if workflow.listens {
            // Clients that connect before the run takes events wait until it does.
            if let server {
                bus.connected.done(on: nil) { server.answer() }.cauterize()
            } else {
                warn(of: workflow, on: console)
            }
        } else {
            server?.answer()
        }
        // Signals are watched before the run begins, so that an immediate one can still end it in order.
        let start = Promise<Void>.pending()
        let run = start.promise.then(on: nil) { [runner] in try begin(runner) }
        let (processes, suspension, computations) = (runner.processes, runner.suspension, runner.interrupt)
        let interruption = Interruption(
            on: console,
            atOnce: {
                processes.kill()
                shown.end()
            }
        ) {
            notifier?.stop()
            if let suspension { return suspension.request() }
            followed.cancel(run)
            computations?.request()
        }
        defer {
            interruption.end()
            followed.stop()
        }
        start.resolver.fulfill(())
        do {
            let outcome = try await Self.outcome(of: run, leaving: processes)
            shown.end()
            console.print(try outcome.get())
            await notifier?.noneLeft.value
            return .success
        } catch let error as WorkflowError {
            await notifier?.noneLeft.value
            throw RunFailure(
                error, of: workflow, run: journals == nil || isSandboxed ? nil : followed.id.map { $0 + resumeOptions })
        } catch  where error.isCancelled {
            guard let status = interruption.status else { throw error }
            console.complain(try await farewell(to: followed, after: error))
            return status
        }
    }

    /// The options that the run needs again when it is resumed.
    private var resumeOptions: String { listening.map { " --listen 127.0.0.1:\($0)" } ?? "" }

    /// Warns that no events from outside can reach a listening task.
    private func warn(of workflow: Workflow, on console: Console) {
        // A workflow can also wait for the events that it emits.
        guard detail != .quiet, !workflow.emits else { return }
        console.complain(
            "warning: '\(workflow.metadata.name)' listens for events, and none can arrive from outside: "
                + "add '--listen 127.0.0.1:PORT'")
    }

    private func runner(
        over graph: GraphClient, on console: Console, _ shown: ConsoleRecorder, _ followed: FollowedRun
    ) throws -> Runner {
        var recorders = [shown.recorder].compactMap(\.self)
        if let events { recorders.append(try EventFile(events, console).recorder) }
        if let notifier { recorders.append(notifier.recorder) }
        // After the console's recorder, so that the ends of tasks are shown before the last message.
        recorders.append(followed.recorder)
        var runner = options.runner(over: graph, console, recorders: recorders)
        runner.journals = journals
        runner.isSandboxed = isSandboxed
        runner.notifications = notifier?.effects ?? []
        runner.interrupt = Interrupt()
        if journals != nil { runner.suspension = Suspension() }
        runner.approvals = approvals
        runner.approver = .waiting(console, in: (graph.transport as? SandboxNetwork)?.sandbox)
        return runner
    }

    /// The result of the run, once every program that it started has ended.
    private static func outcome(
        of run: Promise<Value>, leaving processes: ChildProcesses
    ) async throws -> Result<Value, any Error> {
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await run.value) } catch { outcome = .failure(error) }
        try await processes.allEnded.value
        return outcome
    }

    private func farewell(to run: FollowedRun, after error: any Error) async throws -> String {
        if let suspended = error as? RunSuspended {
            return isSandboxed
                ? "interrupted; a run with '--sandbox' cannot be resumed, because the sandbox ends with it"
                : "interrupted; resume with: graphflow resume \(suspended.run)\(resumeOptions)"
        }
        // The tasks first show how they ended.
        guard let task = try await run.unsettled.value.last?.tokens.last else {
            return "interrupted; nothing more was started"
        }
        return "interrupted during '\(PlainText.exact(task, limit: 100))', which must happen once: "
            + "check whether it happened before you run the workflow again"
    }
}
