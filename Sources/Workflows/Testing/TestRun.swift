/// Runs a test case in its own sandbox.
package struct TestRun: Sendable {
    private let test: TestCase
    private let workflow: Workflow
    private let clock = TimeSkippingClock()
    private let sandbox: Sandbox
    private let mocks: MockedServices
    /// What the run replaces and changes.
    private let kept = BeforeImages()

    package init(_ test: TestCase, of workflow: Workflow) {
        self.test = test
        self.workflow = workflow
        mocks = MockedServices(test.mocks)
        let (start, clock) = (test.start, clock)
        sandbox = test.sandbox.sandbox(
            now: { start + clock.now.seconds }, clock: clock, random: SeededRandom())
    }

    package func outcome(_ environment: [String: String]) async -> TestOutcome {
        let begin = ContinuousClock.now
        guard workflow.validate(input: test.input).isEmpty else { return TestOutcome(state: "invalid") }
        let (trace, isEndless) = (Locked(Trace()), Locked(false))
        let started = Locked<Promise<Value>?>(nil)
        let account = Locked(EffectAccount())
        let before = sandbox.snapshot
        let runner = runner(environment) { event in
            account.withLock { $0.take(event) }
            guard trace.withLock({ $0.take(event) }) else { return }
            isEndless.withLock { $0 = true }
            started.withLock { $0 }?.cancel()
        }
        let processes = runner.processes
        // Start at the default place, where handlers continue during a long computation.
        let run = Promise.value(()).then { [workflow, test] in runner.run(workflow, input: test.input) }
        started.withLock { $0 = run }
        let isStuck = Locked(false)
        let timer = clock.start(isBusy: { !processes.isQuiet }) {
            isStuck.withLock { $0 = true }
            run.cancel()
        }
        defer { timer.cancel() }
        var outcome: TestOutcome
        do {
            let output = try await run.value
            outcome = TestOutcome(state: "completed")
            outcome["output"] = output
        } catch let error as WorkflowError {
            outcome = TestOutcome(state: error.is(.unknownOutcome) ? "unknown" : "faulted")
            outcome["error"] = .object(error.members)
        } catch {
            outcome = TestOutcome(
                state: isEndless.withLock { $0 } ? "endless" : isStuck.withLock { $0 } ? "waiting" : "faulted")
            if !error.isCancelled { outcome["error"] = ["detail": .string("\(error)")] }
        }
        outcome.add(sandbox)
        if test.expected["undone"] != nil {
            outcome["undone"] = await undone(
                account.withLock { $0.effects(isAtWork: false) }, from: before, environment)
        }
        outcome["waits"] = .array(clock.leaps.map { .string("PT\($0.plainSeconds)S") })
        let seen = trace.withLock { $0 }
        outcome["tasks"] = .array(seen.tasks.map(Value.string))
        outcome.reached = seen.reached
        (outcome.unanswered, outcome.unmatched) = (mocks.refused, mocks.unused)
        outcome.duration = ContinuousClock.now - begin
        return outcome
    }

    /// `equal` if the sandbox is as before once the effects of the run are taken back, or what differs.
    private func undone(
        _ effects: [AccountedEffect], from before: [String: [String]], _ environment: [String: String]
    ) async -> Value {
        do {
            let images = try kept.all(at: .distantPast)
            let undo = Undo("case", effects, images, where: { _ in true })
            let input = undo.input(isForced: false, isCorrected: false)
            _ = try await runner(environment) { _ in }.undoing(images).run(try Undo.workflow(), input: input).value
        } catch {
            return .string("the undo fails: \(error)")
        }
        let after = sandbox.snapshot
        let others = after.keys.sorted().filter { after[$0] != before[$0] }
        return others.isEmpty ? "equal" : .string("different: \(others.joined(separator: ", "))")
    }

    private func runner(
        _ environment: [String: String], _ record: @escaping @Sendable (Event) -> Void
    ) -> Runner {
        let (start, clock) = (test.start, clock)
        let graph = GraphClient(
            credential: .fixed(AccessToken(sandbox.accessToken)), baseURL: Sandbox.baseURL,
            transport: SandboxNetwork(sandbox, others: mocks), clock: clock, now: { start + clock.now.seconds },
            randomness: { 0.5 }, gate: RequestGate())
        var runner = Runner(graph: graph, clock: clock, recorders: [Recorder(record)])
        runner.secrets = test.secrets
        runner.environment = environment
        runner.isSandboxed = true
        runner.before = kept
        runner.isSerial = true
        if test.expected["undone"] != nil { runner.access.undoable = .seconds(1) }
        runner.now = { start + clock.now.seconds }
        runner.random = { 0.5 }
        let given = Locked(test.approvals)
        runner.approver = Approver { question, _ in
            try Self.answer(question, given, at: start + clock.now.seconds)
        }
        return runner
    }

    /// The case's answer to a question: the next one for its task, and the last one again and again.
    private static func answer(
        _ question: ApprovalRequest, _ given: Locked<[TestCase.Approval]>, at now: Date
    ) throws(WorkflowError) -> Promise<Approver.Answer> {
        guard case .question(_, let place, _, _) = question.subject else {
            return Promise<Approver.Answer>.pending().promise
        }
        let task = place.split(separator: "@").first?.split(separator: "/").last.map(String.init) ?? place
        let found = given.withLock { given -> TestCase.Approval? in
            guard let index = given.firstIndex(where: { $0.task == task }) else { return nil }
            let isLast = given.count { $0.task == task } == 1
            return isLast ? given[index] : given.remove(at: index)
        }
        guard let found else {
            throw WorkflowError(.configuration, detail: "the case has no answer in 'approvals' for the task '\(task)'")
        }
        let names = (question.approvers ?? []).map { $0.lowercased() }
        guard !found.isApproved || names.contains(found.by.lowercased()) else {
            throw WorkflowError(
                .configuration, detail: "'\(found.by)' is not among the approvers of the task '\(task)'")
        }
        return .value(
            Approver.Answer(
                found.isApproved ? .approved : .rejected, by: found.by, name: found.by, at: now, note: found.note))
    }
}

private struct Trace: Sendable {
    /// A run with more tasks counts as endless.
    private static let mostTasks = 50_000

    /// The names of the tasks in the order in which they began.
    private(set) var tasks: [String] = []
    private(set) var reached: Set<TestCoverage.Place> = []
    /// The number of tasks that began, including those of other workflows.
    private var count = 0

    /// Records an event.
    /// - Returns: Whether the run has so many tasks that it counts as endless.
    mutating func take(_ event: Event) -> Bool {
        if case .taskStarted = event.kind { count += 1 }
        // Tasks inside a call are in the same file. Their order among the tasks of other items is undefined.
        let isInline = event.workflow.reference.isInline
        guard event.parent == nil || isInline, count <= Self.mostTasks else { return count > Self.mostTasks }
        switch event.kind {
        case .taskStarted(let task, _):
            if !isInline { tasks.append(task.tokens.last ?? "") }
            reached.insert(.task(task))
        case .taskSkipped(let task): reached.insert(.skip(task))
        case .taskCompleted(let task, _, _, let then): reached.insert(.branch(task, then))
        default: break
        }
        return false
    }
}

/// Random numbers that are the same in every run, to make ids and links the same.
private struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64 = 1

    /// The next number of SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var number = state
        number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
        return number ^ (number >> 31)
    }
}

extension Duration {
    /// The seconds without an unnecessary fraction: `5`, `0.25`.
    fileprivate var plainSeconds: String {
        let seconds = self.seconds
        return seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
    }
}
