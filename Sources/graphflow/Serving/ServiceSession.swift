/// Runs workflows on their schedules and for arriving events, as the options of ``ServeCommand`` describe.
struct ServiceSession: Sendable {
    let files: [String]
    /// The time zone of a workflow's `cron`.
    let timeZone: @Sendable (Workflow) -> SystemTimeZone
    let logFormat: ServiceLog.Format
    let sandbox: Sandbox?
    let options: RunnerSettings
    let events: String?
    let reception: Reception?
    /// Where subscriptions of Microsoft Graph ring; nil without them.
    let hook: URL?
    let notifier: Notifier?
    /// How many runs are kept; nil for none.
    let keptCount: Int?
    let service: ServiceOptions
    /// Whose approval each run needs, how long it waits, and who gets a mail; nil if runs begin at once.
    var approvals: (policy: ApprovalPolicy, patience: Duration, mailAddress: String?)?
    /// The public address of the pages on which people approve; nil for this machine's browsers only.
    var approveURL: URL?
    var clock: any PromiseClock = .continuous
    var now: @Sendable () -> Date = { Date() }

    /// Serves until the program is interrupted or terminated, or until no workflow will run again.
    func run(on console: Console) async throws -> ExitStatus {
        let workflows = try check(files, on: console)
        // A terminal that goes away ends the service.
        let isAttended = console.errorIsTerminal
        let log = ServiceLog(logFormat, now: now, to: console)
        let monitor = ServiceMonitor(console.ownsProcess ? Supervisor(console.environment) : nil, clock: clock)
        defer { monitor.end() }
        var runner = try await runner(for: workflows, console)
        log.follow(workflows)
        runner.recorders += [monitor.metrics.recorder, log.recorder]
        runner.graph.transport = monitor.metrics.counting(runner.graph.transport)
        let console = log.console(instead: console)
        // The bus keeps nothing: listeners are subscribers.
        let bus = EventBus(capacity: 1)
        runner.events = bus
        let own = OwnWrites(clock: clock)
        if workflows.contains(where: { !$0.changes.isEmpty }) {
            runner.recorders.append(own.recorder)
            runner.graph.transport = own.watching(runner.graph.transport)
        }
        let suspension = Suspension(awaitsPrograms: true)
        runner.suspension = suspension
        let computations = Interrupt()
        runner.interrupt = computations
        let inbox = try inbox(for: workflows, console)
        if let inbox { monitor.watch(inbox) }
        let retention = keptCount.flatMap { count in
            runner.journals.map { folder in
                // The inbox forgets an event only when its run is known not to begin again.
                Retention(keeping: count, in: folder, console) { (try? inbox?.flush()) != nil || inbox == nil }
            }
        }
        let queue = RunQueue(limit: service.concurrency, limitPerWorkflow: service.concurrencyPerWorkflow)
        let left = Locked<InterruptedRuns?>(nil)
        let report = reporting(of: queue, log, retention, on: console)
        let onEnd: @Sendable (Result<Value, any Error>, Workflow) -> Void = { result, workflow in
            report(result, workflow)
            if case .failure(let error) = result, error.isOfDisk { left.withLock { $0 }?.resumeLater() }
        }
        var runs = try ServedRuns(runner)
        let pages = approvals.map { _ in ApprovalPages(environment: console.environment, at: approveURL) }
        let held = try held(by: runs.runner, in: queue, pages, onEnd: onEnd, console)
        if let held { runs.hold = { run, workflow in held.hold(run, of: workflow) } }
        let home = GraphflowHome.folder(console.environment)
        let notify: @Sendable (RunNotice) -> Void = { console.tell($0) }
        let served = Service(
            files, in: timeZone, catchUp: service.catchUp, by: runs, in: queue, with: inbox, home: home,
            notify: notify, onEnd: onEnd)
        let ended = Promise<Void>.pending()
        let processes = runner.processes
        let receive = try receiver(of: inbox, passingOnTo: bus, console)
        let changes = inbox.map { inbox in
            FollowedChanges(over: runner, own: own, into: inbox, receive: receive, at: hook, home: home, notify: notify)
        }
        let reload = reloading(served, changes, log, on: console)
        let interruption = Interruption(
            on: console, hangUp: isAttended ? nil : reload, atOnce: { processes.kill() }
        ) { ended.resolver.fulfill(()) }
        defer { interruption.end() }
        let server = EventServer(receive: receive)
        if var reception {
            reception.page = { monitor.page($0) ?? changes?.answer($0) ?? pages?.answer($0) }
            try open(server, at: reception, with: pages, console)
        }
        defer { server.stop() }
        let entry = announce(workflows, on: console)
        defer { entry?.end() }
        try served.start(workflows) { ended.resolver.fulfill(()) }
        if let inbox { tell(of: inbox, on: console) }
        let interrupted = interrupted(
            of: served, runs, in: queue, inbox, held, notify: notify, onEnd: onEnd, console)
        if service.isResuming { left.withLock { $0 = interrupted } }
        let begun = try service.isResuming ? interrupted?.resume() ?? .value(()) : .value(())
        // Items whose runs continue are taken.
        served.takeEvents()
        begun.done { _ in
            // Listening runs get the events that were accepted while they could not take them.
            do { try inbox?.deliverLeft { bus.publish($0, by: nil) } } catch { console.complain("warning: \(error)") }
            changes?.follow(served.workflows)
        }
        server.answer()
        monitor.start()
        try await ended.promise.value
        monitor.stop()
        left.withLock { $0 = nil }
        await changes?.stop()
        inbox?.close()
        served.stop()
        held?.stop()
        await end(suspension, queue, runner, computations, console)
        try? inbox?.flush()
        return interruption.status ?? .success
    }

    /// How long to wait for reports of runs that were given up.
    private static let lastWait = Duration.seconds(1)

    /// Lets the runs end or reach a point where they can be resumed, for as long as the grace period lasts.
    private func end(
        _ suspension: Suspension, _ queue: RunQueue, _ runner: Runner, _ computations: Interrupt, _ console: Console
    ) async {
        let (notifier, processes) = (notifier, runner.processes)
        // Requests and programs that must happen once end first.
        suspension.request()
        let isCalm = suspension.noneLeft.then { _ -> Promise<Void> in
            guard runner.journals == nil else { return queue.noneLeft }
            // A run that is not kept cannot be resumed, but its programs may end.
            return processes.allEnded.then { _ -> Promise<Void> in
                queue.cancelAll()
                return queue.noneLeft
            }
        }.then { _ -> Promise<Void> in
            computations.request()
            // Programs that runs were waiting for must not outlive this one.
            return processes.allEnded
        }.then { _ -> Guarantee<Void> in notifier?.noneLeft ?? .value(()) }.map { true }
        let isEnded = try? await race(isCalm, after(service.grace, clock: clock).map { false }.asPromise()).value
        guard isEnded != true else { return }
        // Before their programs are killed, so that no run takes that for their result.
        suspension.giveUp()
        processes.kill()
        let grace = "\(service.grace.components.seconds)s"
        // Given-up runs have ended once their ends are reported.
        _ = try? await race(queue.noneLeft, after(Self.lastWait, clock: clock).asPromise()).value
        guard queue.activeCount > 0 else { return }
        console.complain(
            "warning: \(queue.activeCount) runs did not reach a point where they can be resumed within \(grace); they "
                + "are interrupted as if the program had been killed")
    }

    /// Where events wait; nil if no workflow takes any.
    private func inbox(for workflows: [Workflow], _ console: Console) throws -> Inbox? {
        guard reception != nil || workflows.contains(where: { $0.isStartedByEvents || !$0.changes.isEmpty }) else {
            return nil
        }
        let home = GraphflowHome.folder(console.environment).appendingPathComponent("inbox", isDirectory: false)
        let name = reception.map { String($0.address.port) } ?? "emitted"
        let outer = PrivateFolder(path: home.path(percentEncoded: false))
        do throws(SystemError) { try outer.makeWithParents() } catch {
            throw UsageError("events cannot be kept in \(outer.path): \(error)", hint: "set GRAPHFLOW_HOME")
        }
        return try Inbox(in: PrivateFolder(path: outer.path(of: name)))
    }

    /// Receives the events from outside; the inbox takes emitted events too.
    private func receiver(
        of inbox: Inbox?, passingOnTo bus: EventBus, _ console: Console
    ) throws -> EventServer.Receiving {
        guard let inbox else { return { _ in } }
        let emitting = bus.subscribe { event in
            do throws(Inbox.Refusal) { inbox.settleForListeners(try inbox.accept([event], isInner: true)) } catch {
                console.complain("warning: an emitted event cannot start a run: \(error)")
            }
        }
        return { events throws(EventServer.Refusal) in
            let accepted: [Inbox.Accepted]
            do throws(Inbox.Refusal) { accepted = try inbox.accept(events) } catch {
                throw EventServer.Refusal(error)
            }
            let listened = inbox.passedOn(accepted)
            for event in listened { bus.publish(event.event, by: emitting) }
            inbox.settleForListeners(listened)
        }
    }

    private func tell(of inbox: Inbox, on console: Console) {
        for (workflow, count) in inbox.unserved where !workflow.isEmpty {
            let name = PlainText.line(workflow, limit: 200)
            console.complain("warning: \(count) events are kept for up to 7 days for '\(name)', which is not served")
        }
    }

    /// Prints when the workflows run, and lists them for the board.
    private func announce(_ workflows: [Workflow], on console: Console) -> ServedSchedules.Entry? {
        let time = now()
        let described = zip(files, workflows).map { file, workflow in
            (workflow: workflow.metadata.name, file: file, schedule: workflow.schedule, timeZone: timeZone(workflow))
        }
        for (file, workflow) in zip(files, workflows) {
            console.complain("\(file): \(describe(workflow, after: time))")
        }
        // Without a journal, there are no runs to show on the board.
        guard keptCount != nil else { return nil }
        do {
            return try ServedSchedules(environment: console.environment).add(described, at: time)
        } catch {
            console.complain("warning: 'graphflow board' will not list these schedules: \(error)")
            return nil
        }
    }

    private func reporting(
        of queue: RunQueue, _ log: ServiceLog, _ retention: Retention?, on console: Console
    ) -> @Sendable (Result<Value, any Error>, Workflow) -> Void {
        let endedCount = Locked(0)
        return { result, workflow in
            switch result {
            case .success(let output): console.print(output.json())
            case .failure(let error) where error is RunSuspended || error.isCancelled: break
            case .failure(let error): log.write(error, of: workflow)
            }
            let number = endedCount.withLock { count in
                count += 1
                return count
            }
            // With a backlog, the folder of runs is not listed after each run.
            if queue.activeCount <= 1 || number % 50 == 0 { retention?.prune() }
        }
    }

    /// Returns what reads the files again.
    private func reloading(
        _ served: Service, _ changes: FollowedChanges?, _ log: ServiceLog, on console: Console
    ) -> @Sendable () -> Void {
        {
            served.reload { file in
                let workflows = try check([file], on: console)
                log.follow(workflows)
                return workflows[0]
            }
            changes?.follow(served.workflows)
        }
    }

    /// The workflows, if all of them can run on their schedules.
    func check(_ files: [String], on console: Console) throws -> [Workflow] {
        var workflows: [Workflow] = []
        var problems: [Diagnostic] = []
        for file in files {
            let (checked, findings) = Workflow.check(contentsOf: URL(fileURLWithPath: file))
            problems += findings
            guard let workflow = checked else { continue }
            workflows.append(workflow)
            problems += options.obstacles(to: workflow, console)
            switch workflow.schedule {
            case .every, .cron, .after:
                problems += workflow.validate(input: [:]) {
                    "a scheduled run has no input: give '\($0)' a 'default' in the schema"
                }
            // The input is the events, which are not known yet.
            case .on: break
            case nil:
                problems.append(
                    workflow.document.diagnostic(
                        id: "schedule", "this workflow has no schedule",
                        hint: "add one, such as 'schedule: { every: PT1H }', or use 'graphflow run'", at: .root,
                        part: .key))
            }
        }
        guard !problems.contains(where: { $0.severity == .error }) else { throw InvalidWorkflow(diagnostics: problems) }
        console.report(problems)
        for (file, workflow) in zip(files, workflows) {
            try SecretsOption.demand(
                workflow.usedSecrets, in: options.secrets, of: file, command: "graphflow serve \(file)")
        }
        return workflows
    }

    private func runner(for workflows: [Workflow], _ console: Console) async throws -> Runner {
        var recorders: [Recorder] = []
        for workflow in workflows { try console.files.read(workflow) }
        if let events { recorders.append(try EventFile(events, console).recorder) }
        if let notifier { recorders.append(notifier.recorder) }
        var graph = try await GraphClient.forRunning(workflows, in: sandbox, console)
        graph.clock = clock
        var runner = options.runner(over: graph, console, recorders: recorders)
        runner.now = now
        if keptCount != nil { runner.journals = RunsFolder.standard(environment: console.environment) }
        runner.isSandboxed = sandbox != nil
        runner.approver = .waiting(console, in: sandbox)
        return runner
    }
}
