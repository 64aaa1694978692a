/// The runs of agents' plans: each plan runs once, however often and by whomever it is asked for.
///
/// A run does not depend on the call that began it. When the server ends, its runs continue in separate programs.
package final class AgentRuns: Sendable {
    /// How long a run may take to reach a point at which another program can continue it.
    private static let grace = Duration.seconds(10)
    /// How long another process may take to say what it does with a run.
    private static let moment = Duration.seconds(1)

    private let setup: AgentSetup
    private let plans: AgentPlans
    private let onEnd: @Sendable () -> Void
    private let active = Locked<[String: ActiveRun]>([:])

    /// Another call or process began the run first.
    private struct BegunElsewhere: Error {}

    /// - Parameter onEnd: Is called when a run has ended.
    package init(_ setup: AgentSetup, _ plans: AgentPlans, onEnd: @escaping @Sendable () -> Void) {
        (self.setup, self.plans, self.onEnd) = (setup, plans, onEnd)
    }

    /// A run that this process performs.
    private final class ActiveRun: Sendable {
        /// Fulfilled when the run has ended, however it did.
        let ended: Promise<Void>
        let resolver: Resolver<Void>
        let followers = Locked<(count: Int, next: Int, all: [Int: @Sendable (Int, String) -> Void])>((0, 0, [:]))
        /// Why it could not begin.
        let refusal = Locked<(any Error)?>(nil)

        init() { (ended, resolver) = Promise<Void>.pending() }

        var recorder: Recorder {
            .ofProgress { [followers] event in
                guard case .taskStarted = event.kind else { return }
                let name = event.task?.tokens.last ?? ""
                let (count, all) = followers.withLock { state in
                    state.count += 1
                    return (state.count, Array(state.all.values))
                }
                for follower in all { follower(count, PlainText.line(name, limit: 100)) }
            }
        }
    }

    /// Runs an approved plan, or joins its run.
    /// - Parameters:
    ///   - form: The protocol in which a client's form approved the plan; nil without a form.
    ///   - follow: Called with the number of tasks that have begun, and the name of the last one.
    /// - Returns: Whether the run has ended, or does not continue here; false if its plan waits for an approval.
    package func run(
        _ name: String, approvedByForm form: String? = nil, follow: @escaping @Sendable (Int, String) -> Void
    ) async throws -> Bool {
        var watch: FolderWatch?
        while true {
            if let run = active.withLock({ $0[name] }) {
                do { try await wait(for: run, follow) } catch is BegunElsewhere {
                    try await watch?.change(within: Self.moment, .continuous).value
                    continue
                }
                return true
            }
            if let ready = plans.ready(name), !setup.runs.exists(name) {
                try begin(name) { [self] active in
                    var runner = try await runner(of: ready.workflow, active)
                    runner.makeID = { name }
                    return runner.run(ready.workflow, as: ready.plan)
                }
                continue
            }
            let summary = try setup.summary(of: name)
            watch = try watch ?? setup.runs.watch(name)
            let step: RunStep
            do {
                step = try await plans.next(of: summary, isApprovedByForm: form != nil)
            } catch is AgentRefusal where summary.state == .waiting && !isWaiting(name) {
                // Another call or process has begun it meanwhile, which settles what it waited for.
                continue
            }
            switch step {
            case .begin(let plan, let approval):
                let given = plans.approvals(approval, of: plan, byForm: form)
                try begin(name) { [self] active in try await resume(name, as: plan, given, active) }
            case .resume:
                guard summary.isResumable else { return true }
                try begin(name) { [self] active in try await resume(name, as: nil, nil, active) }
            // Another process performs it.
            case .wait(until: nil): try await watch?.change(within: Self.moment, .continuous).value
            case .wait:
                guard isWaiting(name) else { continue }
                return false
            case .end, .ask, .check, .expire, .plan, .refuse: return true
            }
        }
    }

    private func isWaiting(_ name: String) -> Bool { (try? setup.summary(of: name).state) == .waiting }

    private func wait(for run: ActiveRun, _ follow: @escaping @Sendable (Int, String) -> Void) async throws {
        let number = run.followers.withLock { state in
            state.next += 1
            state.all[state.next] = follow
            return state.next
        }
        defer { run.followers.withLock { $0.all[number] = nil } }
        // Its own promise, because a call that is cancelled must not cancel the run.
        try await Promise<Void> { resolver in run.ended.pipe { resolver.resolve($0) } }.value
        if let refusal = run.refusal.withLock({ $0 }) { throw refusal }
    }

    /// Begins a run, unless another call has begun it meanwhile.
    private func begin(
        _ name: String, _ perform: @escaping @Sendable (ActiveRun) async throws -> Promise<Value>
    ) throws {
        guard !setup.suspension.isRequested else { throw AgentRefusal("this server is ending") }
        let begun = active.withLock { active -> ActiveRun? in
            guard active[name] == nil else { return nil }
            let run = ActiveRun()
            active[name] = run
            return run
        }
        guard let run = begun else { return }
        Promise { try await perform(run) }.then { $0 }.asVoid().recover(policy: .allErrors) { [self] error in
            if error is BegunElsewhere {
                run.refusal.withLock { $0 = error }
                return Promise.value(())
            }
            // What happened during the run is in its journal.
            let hasBegun = (try? setup.summary(of: name)).map { $0.state != .waiting } ?? false
            if !hasBegun || error is JournalError || error is UnsettledEffects || error is AgentRefusal {
                run.refusal.withLock { $0 = error }
            }
            if !(error is RunSuspended), !error.isCancelled {
                setup.notify(.ended(run: name, why: error))
            }
            return Promise.value(())
        }.finally { [self] _ in
            active.withLock { $0[name] = nil }
            run.resolver.fulfill(())
            onEnd()
        }
    }

    private func runner(of workflow: Workflow, _ active: ActiveRun) async throws -> Runner {
        var runner = setup.configured(try await setup.runner(workflow))
        runner.recorders.append(active.recorder)
        return runner
    }

    /// Begins a run that waited, or continues one that was interrupted.
    private func resume(
        _ name: String, as plan: ApprovedPlan?, _ approvals: RunApprovals?, _ active: ActiveRun
    ) async throws -> Promise<Value> {
        let summary = try setup.summary(of: name)
        let (journal, events): (Journal, [Event])
        do throws(JournalError) { (journal, events) = try Journal.open(name, in: setup.runs) } catch {
            throw error.code == .held ? BegunElsewhere() : error
        }
        do {
            // Another process may have begun it meanwhile.
            guard plan == nil || events.isEmpty else { throw BegunElsewhere() }
            let (workflow, past) = (try journal.currentWorkflow, PastRun(journal, events))
            var runner = try await runner(of: workflow, active)
            var order = setup.order
            order.hasPlan = plan != nil
            let step = try await setup.desk.next(
                order, summary, past, performing: workflow, with: setup.secrets, at: try runner.graph.baseURL,
                obstacle: try plan == nil ? past.approvedPlan(setup.secrets).flatMap(plans.excess) : nil)
            if case .refuse(let obstacle) = step { throw plans.refusal(for: obstacle) }
            guard case .resume = step else { throw BegunElsewhere() }
            runner.approvals = approvals
            return runner.resume(workflow, journal, from: events, as: plan).ensure { journal.close() }
        } catch {
            journal.close()
            throw error
        }
    }

    /// Lets the runs in progress continue in separate programs; those in a sandbox end with it.
    /// - Parameter continuing: Starts the program that continues a run.
    package func end(continuing: (_ run: String) throws -> Void) async {
        let names = active.withLock { Array($0.keys) }
        setup.suspension.request()
        let calm = setup.suspension.noneLeft
        _ = try? await race(calm, after(Self.grace).asPromise()).value
        setup.suspension.giveUp()
        setup.interrupt.request()
        guard !setup.isSandboxed else {
            for summary in setup.newest(1_000) where summary.state == .waiting { try? setup.desk.expire(summary.run) }
            return
        }
        for name in names {
            guard let summary = try? setup.runs.summary(of: name), summary.isResumable,
                [.suspended, .interrupted].contains(summary.state) || summary.needsAnswer == false
            else { continue }
            do {
                try continuing(name)
                setup.notify(.handedOver(run: name))
            } catch {
                setup.notify(.interrupted(run: name))
            }
        }
    }
}
