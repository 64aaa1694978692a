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
        runner.recorders.append(log.recorder)
        let console = log.console(instead: console)
        let pages = approvals.map { _ in ApprovalPages(environment: console.environment, at: approveURL) }
        let inbox = try inbox(for: workflows, console)
        let retention = keptCount.flatMap { count in
            runner.journals.map { folder in
                // The inbox forgets an event only when its run is known not to begin again.
                Retention(keeping: count, in: folder, console) { (try? inbox?.flush()) != nil || inbox == nil }
            }
        }
        let served = Locked<WorkflowService?>(nil)
        var options = service.options
        options.onEnd = reporting(log, retention, on: console) { served.withLock { $0 }?.activeCount ?? 0 }
        let service = try WorkflowService(
            files, workflows, by: runner, options, program(inbox, over: runner, pages, console), watchedBy: monitor,
            in: timeZone)
        served.withLock { $0 = service }
        defer { served.withLock { $0 = nil } }
        let reload = { @Sendable in
            service.reload { file in
                let workflows = try check([file], on: console)
                log.follow(workflows)
                return workflows[0]
            }
        }
        let interruption = Interruption(
            on: console, hangUp: isAttended ? nil : reload, atOnce: service.kill, service.finish)
        defer { interruption.end() }
        let server = EventServer(receive: service.receive)
        if var reception {
            reception.page = { monitor.page($0) ?? service.answer($0) ?? pages?.answer($0) }
            try open(server, at: reception, with: pages, console)
        }
        defer { server.stop() }
        let entry = announce(workflows, on: console)
        defer { entry?.end() }
        try service.start()
        server.answer()
        monitor.start()
        try await service.ended.value
        monitor.stop()
        await service.stop()
        return interruption.status ?? .success
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
        _ log: ServiceLog, _ retention: Retention?, on console: Console, activeCount: @escaping @Sendable () -> Int
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
            if activeCount() <= 1 || number % 50 == 0 { retention?.prune() }
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
