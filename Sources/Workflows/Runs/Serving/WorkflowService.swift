/// Runs workflows on their schedules, for events and for changes in Microsoft 365, as `graphflow serve` does.
///
/// It keeps what it needs to continue after its process ended: events that wait, up to when each schedule was followed,
/// and the runs themselves if the runner has ``Runner/journals``. Two services must not share a home.
///
/// ```swift
/// var options = WorkflowService.Options()
/// options.approve = { proposal in await ask(proposal) ? .approved(by: "adele") : .rejected(by: "adele") }
/// let service = try WorkflowService([workflow], by: runner, options)
/// try service.start()
/// ```
public final class WorkflowService: Sendable {
    /// How a service runs its workflows.
    public struct Options: Sendable {
        /// How many runs are in progress at the same time; the others wait for their turn.
        public var concurrency = 100
        /// How many of them can be runs of one workflow; nil for half of them.
        public var concurrencyPerWorkflow: Int?
        /// How long runs may take to end, or to reach a point where they can be resumed, when the service stops.
        public var grace = Duration.seconds(30)
        /// Whether runs that an earlier service did not end continue; those of workflows without a file do not.
        public var resumesRuns = true
        /// The time zone of `cron`; nil for that of the workflow, or of this machine.
        public var timeZone: SystemTimeZone?
        /// Decides about the plan of each run before it begins; nil if runs begin at once.
        ///
        /// No one signs its approvals, so that they do not count for `graphflow serve --require-approval`. It is asked
        /// again after an error, and by the next service if this one stops before it answers.
        public var approve: (@Sendable (Proposal) async throws -> Decision)?
        /// How long a run waits for the decision; then it is cancelled.
        public var patience = Duration.seconds(86_400)
        /// Called with the output or the error of each run, and with its workflow.
        public var onEnd: @Sendable (Result<Value, any Error>, Workflow) -> Void = { _, _ in }
        /// Called with a line about what happens around the runs, such as a source of changes that does not answer.
        public var onNotice: @Sendable (String) -> Void = { _ in }

        /// Creates the options that `graphflow serve` has without any.
        public init() {}
    }

    /// A run that waits for a decision.
    public struct Proposal: Sendable {
        /// The name of the run.
        public let run: String
        /// The workflow, as its file was read last.
        public let workflow: Workflow
        /// What the run would do; if it is approved, it does exactly that.
        public let plan: ApprovedPlan
        /// When the run is cancelled if no one decided.
        public let expires: Date
    }

    /// What was decided about a run.
    public enum Decision: Sendable {
        /// It begins. The journal keeps who approved it, as the program says it.
        case approved(by: String, note: String = "")
        /// It never begins.
        case rejected(by: String, note: String = "")
    }

    /// What only the program has: signed approvals, and pages.
    package struct Program: Sendable {
        package var inbox: Inbox?
        package var desk: RunDesk?
        package var order = RunOrder(.service, under: nil)
        package var used: UsedApprovals
        package var mailing: HeldRuns.Mailing?
        package var catchUp = CatchUp.one
        /// Where subscriptions of Microsoft Graph ring; nil without them.
        package var hook: URL?
        package var home: URL
        package var notify: @Sendable (RunNotice) -> Void
        /// What else must end with the service.
        package var lastly: @Sendable () -> Guarantee<Void> = { .value(()) }

        package init(home: URL, used: UsedApprovals, notify: @escaping @Sendable (RunNotice) -> Void) {
            (self.home, self.used, self.notify) = (home, used, notify)
        }
    }

    /// How long to wait for reports of runs that were given up.
    private static let lastWait = Duration.seconds(1)

    private let options: Options
    private let program: Program
    private let runner: Runner
    private let started: [Workflow]
    // It keeps nothing: listeners are subscribers.
    private let bus = EventBus(capacity: 1)
    private let suspension = Suspension(awaitsPrograms: true)
    private let computations = Interrupt()
    private let queue: RunQueue
    private let served: Service
    private let held: HeldRuns?
    /// The runs that an earlier service left, while they may continue.
    private let left = Locked<InterruptedRuns?>(nil)
    private let changes: FollowedChanges?
    private let over = Promise<Void>.pending()
    private let isStopped = Locked(false)
    /// Receives events from outside.
    package let receive: EventServer.Receiving

    /// Creates a service, which does nothing before ``start()``.
    /// - Parameters:
    ///   - workflows: Workflows with a schedule.
    ///   - runner: Performs the runs.
    ///   - options: How it runs them.
    ///   - home: The folder of what the service keeps; nil for that of `graphflow`.
    /// - Throws: An error if the folder cannot be used, or if runs wait for decisions and the runner keeps none.
    public convenience init(
        _ workflows: [Workflow], by runner: Runner, _ options: Options = Options(), in home: URL? = nil
    ) throws {
        guard options.approve == nil || runner.journals != nil else {
            throw ApprovalRefusal("runs that wait are kept, and the runner has no 'journals'")
        }
        let home = home ?? GraphflowHome.folder(runner.environment)
        var program = Program(home: home, used: UsedApprovals(environment: runner.environment)) {
            [onNotice = options.onNotice] in
            onNotice($0.text)
        }
        if workflows.contains(where: { $0.isStartedByEvents || !$0.changes.isEmpty }) {
            let folder = PrivateFolder(path: home.appending(path: "inbox/swift").path(percentEncoded: false))
            try folder.makeWithParents()
            program.inbox = try Inbox(in: folder)
        }
        program.desk = runner.journals.map { runs in
            RunDesk(
                runs, keys: { Promise(error: ApprovalRefusal("this service takes no signed approvals")) },
                runner: { .value(nil) }, now: runner.now)
        }
        if options.approve != nil {
            program.order.policy = ApprovalPolicy(allowsSelf: true)
            program.order.acceptsForms = true
        }
        program.order.patience = options.patience
        program.order.hasSandbox = runner.isSandboxed
        let machine = try options.timeZone ?? .current
        try self.init(
            workflows.map { $0.file?.path(percentEncoded: false) ?? "" }, workflows, by: runner, options, program,
            watchedBy: nil
        ) { [zone = options.timeZone] in zone ?? $0.timeZone ?? machine }
    }

    package init(
        _ files: [String], _ workflows: [Workflow], by given: Runner, _ options: Options, _ program: Program,
        watchedBy monitor: ServiceMonitor?, in timeZone: @escaping @Sendable (Workflow) -> SystemTimeZone
    ) throws {
        var runner = given
        if let monitor {
            runner.recorders.append(monitor.metrics.recorder)
            runner.graph.transport = monitor.metrics.counting(runner.graph.transport)
            if let inbox = program.inbox { monitor.watch(inbox) }
        }
        (runner.events, runner.suspension, runner.interrupt) = (bus, suspension, computations)
        let own = OwnWrites(clock: runner.clock)
        if workflows.contains(where: { !$0.changes.isEmpty }) {
            runner.recorders.append(own.recorder)
            runner.graph.transport = own.watching(runner.graph.transport)
        }
        let queue = RunQueue(
            limit: options.concurrency,
            limitPerWorkflow: options.concurrencyPerWorkflow ?? max(1, (options.concurrency + 1) / 2))
        let onEnd: @Sendable (Result<Value, any Error>, Workflow) -> Void = {
            [onEnd = options.onEnd, left] result, workflow in
            onEnd(result, workflow)
            if case .failure(let error) = result, error.isOfDisk { left.withLock { $0 }?.resumeLater() }
        }
        var runs = try ServedRuns(runner)
        let held = program.order.policy.flatMap { policy in
            program.desk.map { desk in
                HeldRuns(
                    program.order, under: policy, at: desk, by: runs.runner, in: queue, used: program.used,
                    mailing: program.mailing,
                    approve: options.approve, notify: program.notify, onEnd: onEnd)
            }
        }
        if let held { runs.hold = { run, workflow in held.hold(run, of: workflow) } }
        let served = Service(
            files, in: timeZone, catchUp: program.catchUp, by: runs, in: queue, with: program.inbox,
            home: program.home, notify: program.notify, onEnd: onEnd)
        if options.resumesRuns, let desk = program.desk {
            let interrupted = InterruptedRuns(
                of: served, runs, in: queue, with: program.inbox, held: held, at: desk, as: program.order,
                with: runner.secrets, notify: program.notify, onEnd: onEnd)
            left.withLock { $0 = interrupted }
        }
        let receive = Self.receiver(of: program.inbox, passingOnTo: bus, program.notify)
        changes = program.inbox.map { inbox in
            FollowedChanges(
                over: runner, own: own, into: inbox, receive: receive, at: program.hook, home: program.home,
                notify: program.notify)
        }
        (self.options, self.program, self.runner, self.started) = (options, program, runner, workflows)
        (self.queue, self.served, self.held, self.receive) = (queue, served, held, receive)
    }

    deinit { finish() }

    /// Receives the events from outside; the inbox takes emitted events too.
    private static func receiver(
        of inbox: Inbox?, passingOnTo bus: EventBus, _ notify: @escaping @Sendable (RunNotice) -> Void
    ) -> EventServer.Receiving {
        guard let inbox else { return { _ in } }
        let emitting = bus.subscribe { event in
            do throws(Inbox.Refusal) { inbox.settleForListeners(try inbox.accept([event], isInner: true)) } catch {
                notify(.notTaken(error))
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

    /// Follows schedules and events from now on, after it continued the runs that an earlier service did not end.
    /// - Throws: An error if the runs or what waits for them cannot be read.
    public func start() throws {
        try served.start(started) { [over] in over.resolver.fulfill(()) }
        for (workflow, count) in program.inbox?.unserved ?? [] where !workflow.isEmpty {
            program.notify(.unserved(workflow: workflow, count: count))
        }
        let begun = try left.withLock(\.self)?.resume() ?? .value(())
        // Items whose runs continue are taken.
        served.takeEvents()
        begun.done { [self] _ in
            // Listening runs get the events that were accepted while they could not take them.
            do { try program.inbox?.deliverLeft { bus.publish($0, by: nil) } } catch {
                program.notify(.waiting(error))
            }
            changes?.follow(served.workflows)
        }
    }

    /// Publishes an event, for workflows that wait for it and for runs that listen.
    /// - Throws: An error if the event is not kept; then it starts nothing.
    public func publish(_ event: CloudEvent) throws { try receive([event]) }

    /// Is fulfilled when no workflow will run again, and when the service has stopped.
    public var ended: Promise<Void> { over.promise }

    /// Starts nothing from now on, and waits until the runs have ended or can be resumed by the next service.
    public func stop() async {
        let isFirst = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        guard isFirst else { return }
        left.withLock { $0 = nil }
        await changes?.stop()
        program.inbox?.close()
        served.stop()
        held?.stop()
        await end()
        program.inbox?.end()
        finish()
    }

    /// Lets the runs end or reach a point where they can be resumed, for as long as the grace period lasts.
    private func end() async {
        // Requests and programs that must happen once end first.
        suspension.request()
        let isCalm = suspension.noneLeft.then { [self] _ -> Promise<Void> in
            guard runner.journals == nil else { return queue.noneLeft }
            // A run that is not kept cannot be resumed, but its programs may end.
            return runner.processes.allEnded.then { [self] _ -> Promise<Void> in
                queue.cancelAll()
                return queue.noneLeft
            }
        }.then { [self] _ -> Promise<Void> in
            computations.request()
            // Programs that runs were waiting for must not outlive this one.
            return runner.processes.allEnded
        }.then { [self] _ -> Guarantee<Void> in program.lastly() }.map { true }
        let isEnded = try? await race(isCalm, after(options.grace, clock: runner.clock).map { false }.asPromise()).value
        guard isEnded != true else { return }
        // Before their programs are killed, so that no run takes that for their result.
        suspension.giveUp()
        runner.processes.kill()
        // Given-up runs have ended once their ends are reported.
        _ = try? await race(queue.noneLeft, after(Self.lastWait, clock: runner.clock).asPromise()).value
        if queue.activeCount > 0 { program.notify(.givenUp(count: queue.activeCount, after: options.grace)) }
    }
}

/// What only the program asks of a service.
extension WorkflowService {
    package var workflows: [Workflow] { served.workflows }

    /// How many runs are in progress.
    package var activeCount: Int { queue.activeCount }

    /// Reads the files again.
    package func reload(_ check: (_ file: String) throws -> Workflow) {
        served.reload(check)
        changes?.follow(served.workflows)
    }

    /// Answers a notification of Microsoft Graph; nil for any other request.
    package func answer(_ request: HTTPRequest) -> HTTPResponse? { changes?.answer(request) }

    /// Says that it is to be stopped.
    package func finish() { over.resolver.fulfill(()) }

    /// Ends programs at once.
    package func kill() { runner.processes.kill() }
}
