/// Holds back the runs of a service until people have approved their plans.
///
/// Everything that a waiting run is, is in its folder: its journal has no event, and next to it are the plan and the
/// answers. A service that is started again continues with them.
package final class HeldRuns: Sendable {
    /// The mail about a run that waits, which has its plan as a page.
    package typealias Mailing = @Sendable (_ run: String, ApprovedPlan, Workflow, _ expires: Date) -> Mail

    /// How each run is asked for; it waits from the moment at which it was due.
    private let order: RunOrder
    private let policy: ApprovalPolicy
    private let desk: RunDesk
    private let runner: Runner
    private let queue: RunQueue
    private let used: UsedApprovals
    private let mailing: Mailing?
    private let approve: (@Sendable (WorkflowService.Proposal) async throws -> WorkflowService.Decision)?
    private let notify: @Sendable (RunNotice) -> Void
    private let onEnd: @Sendable (Result<Value, any Error>, Workflow) -> Void
    private let state = Locked((waits: [String: Promise<Void>](), isStopped: false))

    /// The pause after a plan could not be made, the keys could not be had, or a mail could not be sent.
    private static let pause = Duration.seconds(30)
    /// How long another process, which looks at the run, may hold its lock.
    private static let moment = Duration.seconds(1)

    /// - Parameters:
    ///   - order: How each run is asked for, with the policy of its approvals.
    ///   - mailing: Writes the mail about each plan that waits; nil for no mails.
    ///   - approve: Decides instead of people who sign; nil if only they do.
    ///   - onEnd: Called with the result of each run.
    init(
        _ order: RunOrder, under policy: ApprovalPolicy, at desk: RunDesk, by runner: Runner, in queue: RunQueue,
        used: UsedApprovals, mailing: Mailing?,
        approve: (@Sendable (WorkflowService.Proposal) async throws -> WorkflowService.Decision)?,
        notify: @escaping @Sendable (RunNotice) -> Void,
        onEnd: @escaping @Sendable (Result<Value, any Error>, Workflow) -> Void
    ) {
        (self.order, self.policy, self.desk) = (order, policy, desk)
        (self.runner, self.queue, self.used) = (runner, queue, used)
        (self.mailing, self.approve, self.notify, self.onEnd) = (mailing, approve, notify, onEnd)
    }

    /// Waits for the approval of a run, and runs it afterwards.
    package func hold(_ run: String, of workflow: Workflow) {
        follow(Promise { [self] in try await wait(for: run, workflow) }, as: run)
    }

    /// Stops looking; the runs wait for the next service.
    package func stop() {
        let waits = state.withLock { state in
            state.isStopped = true
            return Array(state.waits.values)
        }
        for wait in waits { wait.cancel() }
    }

    /// Cancels what waits or repeats when the service stops.
    private func follow(_ wait: Promise<Void>, as name: String) {
        let isStopped = state.withLock { state in
            state.waits[name] = wait
            return state.isStopped
        }
        if isStopped { wait.cancel() }
        wait.finally { [self] _ in state.withLock { $0.waits[name] = nil } }
    }

    private func wait(for run: String, _ workflow: Workflow) async throws {
        var (look, said) = (RunDesk.Look(), Set<String>())
        var asked: (subject: ApprovalStatement.Subject, decision: Promise<WorkflowService.Decision>)?
        defer { asked?.decision.cancel() }
        let watch = try desk.runs.watch(run)
        while let summary = try? desk.runs.summary(of: run) {
            do {
                let approval: (name: String, note: String)?
                switch look.request?.subject == asked?.subject ? asked?.decision.result : nil {
                case .success(.approved(let name, let note)): approval = (name, note)
                case .success(.rejected(let name, let note)):
                    guard let request = look.request else { return }
                    return try WaitingRun(summary, desk.runs, request)
                        .reject(by: "program", named: name, note, at: runner.now())
                case .failure(let error):
                    asked = nil
                    throw error
                case nil: approval = nil
                }
                let step = try await desk.next(order, summary, &look, isApprovedByForm: approval != nil)
                for refusal in look.refusals { notify(.refused(run: run, why: refusal)) }
                if case .wait(until: .some) = step, let request = look.request {
                    try mail(request, run, workflow, &said)
                    if let approve, request.subject != asked?.subject, let plan = request.intactPlan {
                        let proposal = WorkflowService.Proposal(
                            run: run, workflow: workflow, plan: plan, expires: request.expires)
                        asked = (request.subject, Promise { try await approve(proposal) })
                    }
                }
                if try await perform(step, approval, asked?.decision, summary, workflow, watch) { return }
            } catch  where !error.isCancelled {
                let words = (error as? ApprovalRefusal)?.reason ?? "\(error)"
                if said.insert(words).inserted { notify(.waits(run: run, why: words)) }
                // A run whose plan cannot be made expires in time, too.
                let end = look.request?.expires ?? summary.startedAt.addingTimeInterval(order.patience.seconds)
                let rest = Duration.seconds(max(1, end.timeIntervalSince(runner.now())))
                try await after(min(Self.pause, rest), clock: runner.clock).asPromise().value
            }
        }
    }

    /// - Returns: Whether nothing else is to be done for the run.
    private func perform(
        _ step: RunStep, _ approval: (name: String, note: String)?, _ asked: Promise<WorkflowService.Decision>?,
        _ summary: RunSummary, _ workflow: Workflow, _ watch: FolderWatch
    ) async throws -> Bool {
        let (run, name) = (summary.run, workflow.metadata.qualifiedName)
        switch step {
        case .end, .resume: return true
        case .expire:
            try desk.expire(run)
            notify(.expired(run: run, workflow: name))
            return true
        case .plan(let end): try await plan(run, workflow, until: end)
        case .ask(let request): try ApprovalRequests(of: run, in: desk.runs).put(request)
        case .begin(let plan, .signed(let approvals)):
            let ends = approvals.map(\.approval.statement.end)
            return try await begin(
                run, workflow, as: plan, RunApprovals(approvals, by: policy, used: used), until: ends.min())
        case .begin(let plan, .form):
            let approvals = RunApprovals(
                by: "program", named: approval?.name ?? "", note: approval?.note ?? "", at: runner.now(), of: plan,
                used: used)
            return try await begin(run, workflow, as: plan, approvals, until: nil)
        case .wait(let end):
            let rest = end.map { Duration.seconds(max(0, $0.timeIntervalSince(runner.now()))) }
            let change = watch.change(within: rest ?? Self.moment, runner.clock)
            defer { change.cancel() }
            try await Promise<Void> { resolver in
                resolver.onCancel { change.cancel() }
                change.pipe { resolver.resolve($0) }
                asked?.pipe { _ in resolver.fulfill(()) }
            }.value
        case .refuse(let obstacle): throw ApprovalRefusal(obstacle.reason)
        // A service asks for answers to be checked at once.
        case .check: throw ApprovalRefusal("its approvals cannot be checked")
        }
        return false
    }

    /// Plans the run, so that it waits for people.
    private func plan(_ run: String, _ workflow: Workflow, until end: Date, changes: [String] = []) async throws {
        let input: Value
        do {
            let (journal, _) = try Journal.open(run, in: desk.runs)
            defer { journal.close() }
            input = try runner.input(of: journal)
        }
        var planning = runner
        planning.recorders = []
        let plan = ApprovedPlan(try await planning.plan(workflow, input: input, mode: .read).value)
        var request = try ApprovalRequest(
            plan, under: policy, since: runner.now(), expires: end)
        request.changes = changes
        let requests = try ApprovalRequests(of: run, in: desk.runs)
        requests.dropAnswers(to: request.id)
        try requests.put(request)
        notify(.asked(run: run, workflow: workflow.metadata.name, until: end))
    }

    /// Runs the approved plan, when it is the run's turn among those of its workflow's name.
    /// - Returns: False if it is looked at again: its plan is no longer true, or an approval has expired meanwhile.
    private func begin(
        _ run: String, _ workflow: Workflow, as plan: ApprovedPlan, _ approvals: RunApprovals, until latest: Date?
    ) async throws -> Bool {
        let end = try ApprovalRequests(of: run, in: desk.runs).request(ApprovalRequest.plan)?.expires ?? .distantPast
        let outcome: Result<Bool, any Error> = try await Promise { resolver in
            queue.add(workflow.metadata.qualifiedName) { [self] in
                let (journal, events): (Journal, [Event])
                do { (journal, events) = try Journal.open(run, in: desk.runs) } catch {
                    resolver.fulfill(.failure(error))
                    return .value(())
                }
                // It may have waited long for its turn.
                guard events.isEmpty, runner.now() < min(end, latest ?? end) else {
                    journal.close()
                    resolver.fulfill(.success(!events.isEmpty))
                    return .value(())
                }
                var approved = runner
                approved.approvals = approvals
                return approved.resume(workflow, journal, from: events, as: plan).reporting { [self] result in
                    journal.close()
                    if case .failure(let error) = result,
                        error is PlanMismatch || error is ApprovalRefusal
                            || (try? desk.runs.summary(of: run).state) == .waiting
                    {
                        // It could not begin, and may later.
                        return resolver.fulfill(.failure(error))
                    }
                    try? ApprovalRequests(of: run, in: desk.runs).settle(ApprovalRequest.plan)
                    onEnd(result, workflow)
                    resolver.fulfill(.success(true))
                }
            }
        }.value
        do { return try outcome.get() } catch let error as PlanMismatch {
            try await self.plan(run, workflow, until: end, changes: error.differences)
            return false
        }
    }

    /// Mails the plan as a page, and tries again while the run waits with this plan.
    ///
    /// There is one such mail: after the first try, also one by an earlier service, it is looked up first.
    private func mail(
        _ request: ApprovalRequest, _ run: String, _ workflow: Workflow, _ said: inout Set<String>
    ) throws {
        guard let mailing, let plan = request.intactPlan, case .plan(let digest) = request.subject,
            request.mailed != digest || !request.isMailSent, said.insert(digest).inserted
        else { return }
        let requests = try ApprovalRequests(of: run, in: desk.runs)
        var begun = request
        begun.mailed = digest
        try requests.put(begun)
        let mail = mailing(run, plan, workflow, request.expires)
        let sending = Promise { [self] () async throws -> Void in
            var isLookedUp = request.mailed == digest
            while let request = requests.request(ApprovalRequest.plan), request.mailed == digest {
                var mail = mail
                mail.key = Mail.Key(
                    of: ["approval", .string(run), .string(digest)], isLookedUp: isLookedUp, begunAt: request.since)
                do {
                    _ = try await runner.graph.sendMail(mail).value
                    guard var request = requests.request(request.id), request.mailed == digest else { return }
                    request.isMailSent = true
                    return try requests.put(request)
                } catch  where !error.isCancelled {
                    notify(.mailFailed(run: run, why: "\(error)"))
                }
                isLookedUp = true
                try await after(Self.pause, clock: runner.clock).asPromise().value
            }
        }
        follow(sending, as: "\(run) \(digest)")
    }
}
