import Essentials
import MicrosoftGraph
import Promises
import WorkflowHTTP
import Workflows

/// Holds back the runs of a service until people have approved their plans.
///
/// Everything that a waiting run is, is in its folder: its journal has no event, and next to it are the plan and the
/// answers. A service that is started again continues with them.
final class ApprovalGate: Sendable {
    let policy: ApprovalPolicy
    /// How long a run waits from the moment at which it was due.
    let patience: Duration
    /// The address that gets each plan as a page; nil for none.
    let mailAddress: String?
    private let runner: Runner
    private let queue: RunQueue
    private let keys: @Sendable () -> Promise<ApprovalKeys>
    /// The object id of the person whose account runs everything; nil if it is unknown, or of no matter.
    let person: @Sendable () -> Promise<String?>
    private let used: UsedApprovals
    private let console: Console
    private let onEnd: @Sendable (Result<Value, any Error>, Workflow) -> Void
    private let state = Locked((waits: [String: Promise<Void>](), isStopped: false))

    private static let interval = Duration.seconds(1)
    /// The pause after a plan could not be made, or the keys could not be had.
    private static let pause = Duration.seconds(30)

    init(
        _ policy: ApprovalPolicy, for patience: Duration, mailing mailAddress: String?, _ runner: Runner,
        in queue: RunQueue, sandbox: Sandbox?, _ console: Console,
        onEnd: @escaping @Sendable (Result<Value, any Error>, Workflow) -> Void
    ) {
        (self.policy, self.patience, self.mailAddress) = (policy, patience, mailAddress)
        (self.runner, self.queue, self.console, self.onEnd) = (runner, queue, console, onEnd)
        used = UsedApprovals(environment: console.environment)
        keys = {
            do { return try ApprovalAuthority(console, in: sandbox).keys() } catch { return Promise(error: error) }
        }
        person = { [graph = runner.graph] in
            policy.allowsSelf ? .value(nil) : Promise(operation: { await graph.runnerID(console, in: sandbox) })
        }
    }

    private struct Waiting: Sendable {
        /// Plans and approvals about which something was said.
        var said: Set<String> = []
        /// Until when nothing changes without an answer; nil if that is not known.
        var end: Date?
    }

    /// Waits for the approval of a run, and runs it afterwards.
    func hold(_ run: String, of workflow: Workflow, in folder: RunsFolder) {
        // Its runs take turns with those of other workflows under this name.
        let name = workflow.metadata.qualifiedName
        let wait = repeating(Waiting()) { [self] waiting -> Promise<Step<Waiting, Void>> in
            firstly { [self] in try look(run, workflow, name, folder, waiting) }.recover {
                [self] error -> Promise<Step<Waiting, Void>> in
                guard !error.isCancelled else { throw error }
                var waiting = waiting
                let words = PlainText.line((error as? ApprovalRefusal)?.reason ?? "\(error)", limit: 1_000)
                if waiting.said.insert(words).inserted { console.complain("warning: the run \(run) waits: \(words)") }
                // A run whose plan cannot be made expires in time, too.
                let due = (try? folder.summary(of: run))?.startedAt ?? runner.now()
                let rest = due.addingTimeInterval(patience.seconds).timeIntervalSince(runner.now())
                let pause = min(Self.pause, .seconds(max(1, rest)))
                return after(pause, clock: runner.clock).map { [waiting] in .again(waiting) }
            }
        }
        follow(wait, as: run)
    }

    /// Cancels what repeats when the gate stops.
    private func follow(_ wait: Promise<Void>, as name: String) {
        let isStopped = state.withLock { state in
            state.waits[name] = wait
            return state.isStopped
        }
        if isStopped { wait.cancel() }
        wait.finally { [self] _ in state.withLock { $0.waits[name] = nil } }
    }

    /// Stops looking; the runs wait for the next service.
    func stop() {
        let waits = state.withLock { state in
            state.isStopped = true
            return Array(state.waits.values)
        }
        for wait in waits { wait.cancel() }
    }

    private func look(
        _ run: String, _ workflow: Workflow, _ name: String, _ folder: RunsFolder, _ waiting: Waiting
    ) throws -> Promise<Step<Waiting, Void>> {
        let later: @Sendable (Waiting) -> Promise<Step<Waiting, Void>> = { [runner] waiting in
            after(Self.interval, clock: runner.clock).map { .again(waiting) }
        }
        guard let summary = try? folder.summary(of: run) else { return .value(.done(())) }
        // Another process holds its lock for a moment.
        if summary.state == .running { return later(waiting) }
        guard summary.state == .waiting else { return .value(.done(())) }
        let requests = try ApprovalRequests(of: run, in: folder)
        // Reading a plan takes long, and there may be many.
        if let end = waiting.end, runner.now() < end, !requests.hasAnswers(to: ApprovalRequest.plan) {
            return later(waiting)
        }
        let known = requests.request(ApprovalRequest.plan)
        let end = known?.expires ?? summary.startedAt.addingTimeInterval(patience.seconds)
        guard runner.now() < end else {
            let decision: Value = ["approved": false, "state": "expired", "at": .string(runner.now().iso8601)]
            try folder.cancel(run, at: runner.now(), because: decision)
            requests.settle(ApprovalRequest.plan)
            console.complain("the run \(run) of '\(name)' is cancelled: no one approved it in time")
            return .value(.done(()))
        }
        guard var request = known else {
            return try plan(run, workflow, folder, since: summary.startedAt).map { .again(waiting) }
        }
        guard case .plan(let digest) = request.subject, let plan = request.plan, try plan.approvalDigest == digest
        else {
            throw ApprovalRefusal("its plan was changed")
        }
        if request.approvers != policy.approvers || request.count != policy.count {
            (request.approvers, request.count) = (policy.approvers, policy.count)
            try requests.put(request)
        }
        if mailAddress != nil, request.mailed != digest || !request.isMailSent, !waiting.said.contains(digest) {
            try mail(request, plan, run, workflow, in: requests)
            return .value(.again(Waiting(said: waiting.said.union([digest]))))
        }
        var waiting = waiting
        waiting.end = end
        var approvals: [SignedApproval] = []
        for answer in requests.answers(to: request.id) where !waiting.said.contains(answer.name) {
            do throws(ApprovalRefusal) {
                let approval = try SignedApproval(try answer.content.get())
                guard approval.statement.subject == request.subject, !waiting.said.contains(approval.idToken) else {
                    continue
                }
                approvals.append(approval)
            } catch {
                if !requests.drop(answer) { waiting.said.insert(answer.name) }
                complain(about: error, of: run)
            }
        }
        guard approvals.count >= policy.count else { return later(waiting) }
        return firstly { keys() }.then { [self, approvals, waiting, request] keys -> Promise<Step<Waiting, Void>> in
            person().then {
                [self, approvals, waiting, request] runnerID -> Promise<Step<Waiting, Void>> in
                let planner = plan["plan"]?["plannedBy"]?.string
                var waiting = waiting
                let checked = policy.selection(
                    of: approvals, of: request.subject, plannedBy: planner, runBy: runnerID, with: keys,
                    now: runner.now()
                ) { approval, refusal in
                    waiting.said.insert(approval.idToken)
                    complain(about: refusal, of: run)
                }
                guard let checked else { return later(waiting) }
                return begin(run, workflow, name, folder, as: try ApprovedPlan(plan), checked, request, requests)
                    .map { [said = waiting.said] isOver in isOver ? .done(()) : .again(Waiting(said: said)) }
            }
        }
    }

    private func complain(about refusal: ApprovalRefusal, of run: String) {
        let words = PlainText.line(refusal.reason, limit: 1_000)
        console.complain("warning: an approval of the run \(run) does not count: \(words)")
    }

    /// Plans the run, so that it waits for people.
    private func plan(
        _ run: String, _ workflow: Workflow, _ folder: RunsFolder, since due: Date, changes: [String] = []
    ) throws -> Promise<Void> {
        let (journal, _) = try Journal.open(run, in: folder)
        let input: Value
        do {
            defer { journal.close() }
            input = try runner.input(of: journal)
        }
        var planning = runner
        planning.recorders = []
        return planning.plan(workflow, input: input, mode: .read).map { [self] plan in
            let value = ApprovedPlan(plan).value
            var request = ApprovalRequest(
                .plan(digest: try value.approvalDigest), by: policy.approvers, count: policy.count, since: runner.now(),
                expires: due.addingTimeInterval(patience.seconds), plan: value)
            request.changes = changes
            let requests = try ApprovalRequests(of: run, in: folder)
            requests.dropAnswers(to: request.id)
            try requests.put(request)
            console.complain(
                "the run \(run) of '\(workflow.metadata.name)' waits for approval until "
                    + "\(request.expires.formatted(.iso8601)): graphflow approve \(run)")
        }
    }

    /// Runs the approved plan; false if it is no longer true, and a new one waits.
    private func begin(
        _ run: String, _ workflow: Workflow, _ name: String, _ folder: RunsFolder, as plan: ApprovedPlan,
        _ checked: [CheckedApproval], _ request: ApprovalRequest, _ requests: ApprovalRequests
    ) -> Promise<Bool> {
        Promise { resolver in
            queue.add(name) { [self] in
                let (journal, events): (Journal, [Event])
                do { (journal, events) = try Journal.open(run, in: folder) } catch {
                    resolver.reject(error)
                    return .value(())
                }
                guard events.isEmpty else {
                    journal.close()
                    resolver.fulfill(true)
                    return .value(())
                }
                // It may have waited long for its turn.
                guard runner.now() < request.expires, checked.allSatisfy({ $0.approval.statement.end > runner.now() })
                else {
                    journal.close()
                    resolver.fulfill(false)
                    return .value(())
                }
                var approved = runner
                approved.approvals = RunApprovals(checked, by: policy, used: used)
                let end = approved.resume(workflow, journal, from: events, as: plan).reporting { [self] result in
                    journal.close()
                    switch result {
                    case .failure(let error as PlanMismatch):
                        do {
                            try self.plan(
                                run, workflow, folder, since: request.expires.addingTimeInterval(-patience.seconds),
                                changes: error.differences
                            ).done {
                                resolver.fulfill(false)
                            }.catch(policy: .allErrors) { resolver.reject($0) }
                        } catch {
                            resolver.reject(error)
                        }
                    case .failure(let error as ApprovalRefusal): resolver.reject(error)
                    case .failure(let error) where (try? folder.summary(of: run).state) == .waiting:
                        // It could not begin, and may later.
                        resolver.reject(error)
                    default:
                        requests.settle(request.id)
                        onEnd(result, workflow)
                        resolver.fulfill(true)
                    }
                }
                return end
            }
        }
    }

    /// Mails the plan as a page, and tries again while the run waits with this plan.
    ///
    /// There is one such mail: after the first try, also one by an earlier service, it is looked up first.
    private func mail(
        _ request: ApprovalRequest, _ plan: Value, _ run: String, _ workflow: Workflow, in requests: ApprovalRequests
    ) throws {
        guard let address = mailAddress else { return }
        var request = request
        let mayBeSent = request.mailed == plan.digest
        request.mailed = plan.digest
        try requests.put(request)
        let approved = try ApprovedPlan(plan)
        let page = PlanPage(view: PlanView(approved.plan), workflow: workflow).html
        let title = workflow.metadata.title ?? workflow.metadata.name
        var mail = Mail(
            to: [address], subject: "To approve: \(PlainText.line(title, limit: 200))",
            body: .text(
                "A run of '\(title)' waits until \(request.expires.formatted(.iso8601)). The attached page says what it "
                    + "would do. To decide, on the machine of the service:\n\n"
                    + "graphflow approve \(run)\ngraphflow reject \(run)\n"))
        mail.attachments = [
            Mail.Attachment(name: "plan.html", content: Blob(Data(page.utf8), contentType: "text/html"))
        ]
        let (id, since, digest) = (request.id, request.since, plan.digest)
        let sending = repeating(mayBeSent) { [self, mail] mayBeSent -> Promise<Step<Bool, Void>> in
            var mail = mail
            mail.key = Mail.Key(
                of: ["approval", .string(run), .string(digest)], isLookedUp: mayBeSent, begunAt: since)
            return runner.graph.sendMail(mail).map { _ in
                guard var request = requests.request(id), request.mailed == digest else { return .done(()) }
                request.isMailSent = true
                try requests.put(request)
                return .done(())
            }.recover { [self] error -> Promise<Step<Bool, Void>> in
                guard !error.isCancelled else { throw error }
                let words = PlainText.line("\(error)", limit: 500)
                console.complain("warning: the mail about the run \(run) was not sent, and is tried again: \(words)")
                return after(Self.pause, clock: runner.clock).map {
                    requests.request(id)?.mailed == digest ? .again(true) : .done(())
                }
            }
        }
        follow(sending, as: "\(run) \(digest)")
    }
}
