/// The runs of agents' plans: each plan runs once, however often and by whomever it is asked for.
///
/// A run does not depend on the call that began it. When the server ends, its runs continue in separate programs.
final class AgentRuns: Sendable {
    /// A larger output is left out of an answer, and read as a resource.
    private static let largestOutput = 100_000
    /// More effects are left out of an answer.
    private static let mostEffects = 200
    /// How long a run may take to reach a point at which another program can continue it.
    private static let grace = Duration.seconds(10)
    /// How long another process may take to say what it does with a run.
    private static let moment = Duration.seconds(1)

    private let setup: AgentSetup
    private let plans: AgentPlans
    /// The options that a program needs to continue a run.
    private let resumeOptions: [String]
    private let active = Locked<[String: ActiveRun]>([:])
    private let retention: Retention

    /// Another call or process began the run first.
    private struct BegunElsewhere: Error {}

    init(_ setup: AgentSetup, _ plans: AgentPlans, resumeOptions: [String]) {
        (self.setup, self.plans, self.resumeOptions) = (setup, plans, resumeOptions)
        retention = Retention(keeping: RetentionOption.usual, in: setup.runs, setup.console)
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
    /// - Returns: The run's end, as an agent gets it; nil if the plan still waits for an approval.
    func run(
        _ name: String, approvedByForm form: MCPVersion? = nil, follow: @escaping @Sendable (Int, String) -> Void
    ) async throws -> Object? {
        var watch: FolderWatch?
        while true {
            if let run = active.withLock({ $0[name] }) {
                do { try await wait(for: run, follow) } catch is BegunElsewhere {
                    try await watch?.change(within: Self.moment, .continuous).value
                    continue
                }
                return try report(of: name)
            }
            if let ready = plans.ready(name), !setup.runs.exists(name) {
                try begin(name) { [self] active in
                    var runner = try await setup.runner(of: ready.workflow, recorders: [active.recorder])
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
                let given = plans.approvals(approval, of: plan, by: form)
                try begin(name) { [self] active in try await resume(name, as: plan, given, active) }
            case .resume:
                guard summary.isResumable else { return try report(of: name) }
                try begin(name) { [self] active in try await resume(name, as: nil, nil, active) }
            // Another process performs it.
            case .wait(until: nil): try await watch?.change(within: Self.moment, .continuous).value
            case .wait:
                guard isWaiting(name) else { continue }
                return nil
            case .end, .ask, .check, .expire, .plan, .refuse: return try report(of: name)
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
                setup.console.complain("the run \(name) ended: \(Failure(error).text(colour: false))")
            }
            return Promise.value(())
        }.finally { [self] _ in
            active.withLock { $0[name] = nil }
            run.resolver.fulfill(())
            retention.prune()
        }
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
            let (workflow, past) = (try ResumeCommand.workflow(of: journal), PastRun(journal, events))
            var runner = try await setup.runner(of: workflow, recorders: [active.recorder])
            var order = setup.order
            order.hasPlan = plan != nil
            let step = try await setup.desk.next(
                order, summary, past, performing: workflow, with: setup.settings.secrets, at: try runner.graph.baseURL,
                obstacle: try plan == nil ? past.approvedPlan(setup.settings.secrets).flatMap(plans.excess) : nil)
            if case .refuse(let obstacle) = step { throw plans.refusal(for: obstacle) }
            guard case .resume = step else { throw BegunElsewhere() }
            runner.approvals = approvals
            return runner.resume(workflow, journal, from: events, as: plan).ensure { journal.close() }
        } catch {
            journal.close()
            throw error
        }
    }

    /// What an agent gets of a run: its state, its output or error, and what it did.
    func report(of name: String) throws -> Object {
        let summary = try setup.summary(of: name)
        var members: Object = ["runId": .string(name), "state": .string(summary.state.rawValue)]
        if summary.state == .waiting {
            members["effects"] = []
            members["next"] = .string(plans.ways(to: name))
            return members
        }
        let report = try resource(of: name)
        let output = report["output"] ?? .null
        if summary.state == .completed {
            let isShort = output.jsonData().count <= Self.largestOutput
            members["output"] = isShort ? output : .null
            if !isShort { members["outputIn"] = .string("graphflow://run/\(name)") }
        }
        members["error"] = report["error"]
        let effects = report["effects"]?.array ?? []
        members["effects"] = .array(Array(effects.prefix(Self.mostEffects)))
        if effects.count > Self.mostEffects {
            members["effectsCount"] = .integer(effects.count)
            members["effectsIn"] = .string("graphflow://run/\(name)")
        }
        members["next"] = next(after: summary).map(Value.string)
        return members
    }

    private func next(after summary: RunSummary) -> String? {
        switch summary.state {
        case .completed, .running, .waiting: nil
        case .interrupted, .suspended,
            .unknown where summary.needsAnswer == false:
            summary.isResumable ? "Call run_plan again: it continues." : "Plan the workflow again."
        case .unknown:
            "It is unknown whether an effect happened. A person has to find out, and then run 'graphflow resume "
                + "\(summary.run) --assume sent' or '--assume not-sent'. Do not plan the same effect again."
        case .faulted, .cancelled:
            summary.isRefused
                ? "Plan the workflow again, if the person wants it."
                : "A person can continue it with 'graphflow resume \(summary.run)'."
        case .damaged: "A person has to look at 'graphflow show \(summary.run)'."
        }
    }

    /// The whole report of a run, as `graphflow show --format json` has it.
    func resource(of name: String) throws -> Value {
        _ = try setup.summary(of: name)
        let workflow = RunReport.workflow(of: name, in: setup.runs)
        return setup.shown(
            try RunReport(of: name, in: setup.runs, workflow, keepsData: true, unfolds: false, now: Date())
                .json(hasInputs: false))
    }

    /// The newest runs and plans of agents.
    func newest(_ count: Int) -> [RunSummary] {
        (try? setup.runs.summaries(limit: count) { [setup] in
            $0.isOfAgent && $0.isSandboxed == (setup.sandbox != nil)
        }) ?? []
    }

    /// Lets the runs in progress continue in separate programs; those in a sandbox end with it.
    func end() async {
        let names = active.withLock { Array($0.keys) }
        setup.suspension.request()
        let calm = setup.suspension.noneLeft
        _ = try? await race(calm, after(Self.grace).asPromise()).value
        setup.suspension.giveUp()
        setup.interrupt.request()
        if setup.sandbox != nil {
            for summary in newest(1_000) where summary.state == .waiting {
                try? setup.runs.cancel(
                    summary.run, at: Date(),
                    because: ["approved": false, "state": "expired", "at": .string(Date().iso8601)])
            }
            return
        }
        let program = OwnProgram(environment: setup.console.environment)
        for name in names {
            guard let summary = try? setup.runs.summary(of: name), summary.isResumable,
                [.suspended, .interrupted].contains(summary.state) || summary.needsAnswer == false,
                let size = try? setup.runs.journalSize(of: name)
            else { continue }
            do {
                try program.start(["resume", name] + resumeOptions) {
                    ((try? setup.runs.journalSize(of: name)) ?? size) > size
                }
                setup.console.complain("the run \(name) continues: graphflow show \(name)")
            } catch {
                setup.console.complain("warning: the run \(name) was interrupted: graphflow resume \(name)")
            }
        }
    }
}
