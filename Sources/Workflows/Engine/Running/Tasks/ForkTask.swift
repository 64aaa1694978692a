extension LiveTaskPerformer {
    /// Performs branches concurrently, each with the task's input.
    ///
    /// Specification: dsl-reference.md, "Fork". Without competition, the output is an array of the branches' outputs in
    /// order, and the first error interrupts the other branches. In a competition, the first branch that completes sets
    /// the output and the others are cancelled. A branch that fails drops out; the first error counts only if all fail.
    /// A branch that ends the workflow does so at once.
    ///
    /// As with a timeout, the outcome is unknown if a branch is cancelled during an effect that must happen once.
    func perform(_ fork: Workflow.Fork, _ task: ActiveTask) -> Promise<Outcome> {
        let scope = task.scope
        return Promise { resolver in
            // Events that ended branches have read are unread for the others.
            let reader = scope.reader.branched()
            var begun = Contest(count: fork.branches.count, competes: fork.competes)
            let verdict = run.recordedVerdict(of: fork, task, &begun)
            let contest = Locked(begun)
            let open = verdict == nil ? begun.open.sorted() : []
            var started: [Int: Promise<Outcome>] = [:]
            var interrupts: [Int: Interrupt] = [:]
            for index in open {
                var inner = scope
                inner.reader = reader.branched()
                inner.interrupt = Interrupt(inside: scope.interrupt)
                interrupts[index] = inner.interrupt
                started[index] = perform(fork.branches[index], input: task.input, scope: inner).get(on: nil) {
                    [inner] _ in scope.reader.join(inner.reader)
                }
            }
            let (branches, computations) = (started, interrupts)
            let interrupt = { @Sendable () -> [JSONPointer] in
                let left = contest.withLock { $0.close() }
                // A branch that is computing now begins no effect from here on.
                for index in left { computations[index]?.request() }
                let places = left.map { scope.execution(of: fork.branches[$0]) }
                // Evaluated before the branches are interrupted: afterwards no call is unsettled.
                let effects = places.flatMap { run.effectsOnTheWay(in: $0) }
                for (index, place) in zip(left, places) {
                    run.recordInterruption(inside: place, includingItself: true)
                    branches[index]?.cancel()
                }
                return effects
            }
            if let verdict {
                let left = contest.withLock { $0.open }.sorted()
                _ = interrupt()
                let effects = left.flatMap { run.effectsLeft(in: scope.execution(of: fork.branches[$0])) }
                guard run.journal.assumption == nil, let unknown = Self.unknown(effects, after: verdict, of: task)
                else { return resolver.resolve(verdict) }
                return resolver.reject(unknown)
            }
            resolver.onCancel { _ = interrupt() }
            for index in open {
                branches[index]?.done(on: nil) { outcome in
                    guard let verdict = contest.withLock({ $0.completed(index, outcome, then: task.then) }) else {
                        return
                    }
                    let unknown = Self.unknown(interrupt(), after: .success(verdict), of: task)
                    if let unknown { resolver.reject(unknown) } else { resolver.fulfill(verdict) }
                }.catch(on: nil, policy: .allErrors) { error in
                    guard let verdict = contest.withLock({ $0.failed(index, error) }) else { return }
                    resolver.reject(Self.unknown(interrupt(), after: .failure(verdict), of: task) ?? verdict)
                }
            }
        }
    }

    /// The error of a fork that interrupted effects which must happen once; nil if there are none.
    private static func unknown(
        _ effects: [JSONPointer], after verdict: Result<Outcome, any Error>, of task: ActiveTask
    ) -> WorkflowError? {
        guard let first = effects.first else { return nil }
        let names = effects.map { "'\($0.tokens.last ?? "")' (\($0))" }.joined(separator: ", ")
        let cause =
            switch verdict {
            case .success: "a branch of '\(task.name)' won"
            case .failure(let error):
                "a branch of '\(task.name)' failed (\(WorkflowError(error, at: task.reference)))"
            }
        return WorkflowError(
            .unknownOutcome,
            detail: "\(cause) while an effect that must happen once was in progress in another: check whether \(names) "
                + "happened before running the workflow again",
            instance: first)
    }
}

extension Run {
    /// The result of the branches that ended in the journal; nil if others must run, which may begin only then.
    fileprivate func recordedVerdict(
        of fork: Workflow.Fork, _ task: ActiveTask, _ contest: inout Contest
    ) -> Result<Outcome, any Error>? {
        let ended = fork.branches.indices.compactMap { index -> (index: Int, frame: RunState.Frame)? in
            let frame = memory(of: task.scope.execution(of: fork.branches[index]))
            return frame.flatMap { $0.end == nil ? nil : (index, $0) }
        }
        for (index, frame) in ended.sorted(by: { $0.frame.endNumber < $1.frame.endNumber }) {
            switch frame.end {
            case .completed(let output, let then):
                task.scope.reader.read(frame.pastPositions)
                let outcome = Outcome(value: output, flow: then)
                if let verdict = contest.completed(index, outcome, then: task.then) { return .success(verdict) }
            case .skipped:
                let outcome = Outcome(value: task.input, flow: .continue)
                if let verdict = contest.completed(index, outcome, then: task.then) { return .success(verdict) }
            case .failed(let error):
                if let verdict = contest.failed(index, error) { return .failure(verdict) }
            case nil: break
            }
        }
        return nil
    }
}

extension DryTaskPerformer {
    /// Plans branches one after the other: the same workflow always has the same plan.
    func perform(_ fork: Workflow.Fork, _ task: ActiveTask) -> Promise<Outcome> {
        var contest = Contest(count: fork.branches.count, competes: fork.competes)
        if let verdict = run.recordedVerdict(of: fork, task, &contest) { return Promise { $0.resolve(verdict) } }
        return planBranches(of: fork, task).map { sides in
            let outcomes = sides.compactMap { try? $0.result.get() }
            let error = sides.compactMap { side in if case .failure(let error) = side.result { error } else { nil } }
                .first
            let before = task.scope.context
            if let error, !fork.competes || outcomes.isEmpty {
                var error = WorkflowError(error, at: task.reference)
                error.context = sides.flatMap(\.exports).reduce(before) { planner.join($0, $1, named: task.name) }
                throw error
            }
            if sides.count > 1, sides.contains(where: { !$0.exports.isEmpty }) {
                planner.noteGap(
                    "the order in which the branches of '\(task.name)' change the context is only known at run time")
            }
            // A branch that loses may have exported anything or nothing.
            let contexts =
                fork.competes
                ? [before] + sides.flatMap(\.exports) : sides.filter { !$0.exports.isEmpty }.map(\.context)
            let context = contexts.dropFirst().reduce(contexts.first ?? before) {
                planner.join($0, $1, named: task.name)
            }
            guard fork.competes, let first = outcomes.first else {
                if let end = outcomes.first(where: { $0.flow == .end }) {
                    return Outcome(value: end.value, flow: .end, context: context)
                }
                return Outcome(value: .array(outcomes.map(\.value)), flow: task.then, context: context)
            }
            let others = outcomes.filter { $0.flow != .end }
            for end in outcomes where end.flow == .end && !others.isEmpty {
                planner.noteEnding(end.withContext(or: context), of: run.id)
            }
            var output = (others.isEmpty ? outcomes : others).dropFirst().reduce(others.first ?? first) {
                Outcome(value: planner.join($0.value, $1.value, named: task.name), flow: $0.flow)
            }
            output.context = context
            return output.followed(by: task.then)
        }
    }

    private struct Side: Sendable {
        var result: Result<Outcome, any Error>
        var context: Value
        var exports: [Value]
    }

    /// Plans the branches with what is known of each one's exports, which may depend on what others exported before.
    private func planBranches(of fork: Workflow.Fork, _ task: ActiveTask) -> Promise<[Side]> {
        planner.settle(at: place(of: task)) { (former: [Int: PlannedRounds]?) in
            former?.remembered(by: planner) { _ in task.name } ?? [:]
        } plan: {
            performBranches(of: fork, task, $0)
        } wider: { known, result in
            var (exports, isKnown) = (known, true)
            for (index, side) in ((try? result.get()) ?? []).enumerated() {
                for context in side.exports {
                    var rounds = exports[index] ?? PlannedRounds(data: .null, context: context)
                    if exports[index] != nil, rounds.covers(data: .null, context: context) { continue }
                    rounds.widen(data: .null, context: context, by: planner, named: task.name)
                    exports[index] = rounds
                    isKnown = false
                }
            }
            return isKnown ? nil : exports
        }.map(\.value)
    }

    /// Plans every branch from the same context, with the exports of the others, because they run concurrently.
    private func performBranches(
        of fork: Workflow.Fork, _ task: ActiveTask, _ exports: [Int: PlannedRounds]
    ) -> Promise<[Side]> {
        let before = task.scope.context
        return repeating([Side]()) { sides -> Promise<Step<[Side], [Side]>> in
            let index = sides.count
            guard fork.branches.indices.contains(index) else { return .value(.done(sides)) }
            let branch = fork.branches[index]
            let others = exports.filter { $0.key != index }.sorted { $0.key < $1.key }.map(\.value.context)
            let first = others.reduce(before) { planner.join($0, $1, named: "\(task.name).context") }
            let isOver = run.memory(of: task.scope.execution(of: branch))?.end != nil
            if !isOver { planner.open(PlannedBranch(.branch, branch.name, fork.competes ? .race : .certain)) }
            planner.beginBranch(of: run.id, meeting: others)
            return perform(branch, input: task.input, scope: task.scope.with(context: first)).map { outcome in
                (.success(outcome), outcome.flow == .end ? .workflow : nil)
            }.recover { error -> Promise<(Result<Outcome, any Error>, PlannedBranch.End?)> in
                guard !error.isCancelled else { throw error }
                return .value((.failure(error), .fault(WorkflowError(error, at: task.reference))))
            }.map { result, end in
                if !isOver { planner.close(end) }
                let context = (try? result.get().context) ?? first
                return .again(sides + [Side(result: result, context: context, exports: planner.endBranch())])
            }
        }
    }
}

/// The open branches of a `fork`, and the outputs of the others.
private struct Contest {
    private var outputs: [Value?]
    private(set) var open: Set<Int>
    private let competes: Bool
    private var firstError: (any Error)?
    private var isOver = false

    init(count: Int, competes: Bool) {
        outputs = Array(repeating: nil, count: count)
        open = Set(0..<count)
        self.competes = competes
    }

    /// Records that a branch completed; returns the outcome of the fork if it is now known.
    mutating func completed(_ index: Int, _ outcome: Outcome, then: FlowDirective) -> Outcome? {
        open.remove(index)
        guard !isOver else { return nil }
        if outcome.flow == .end || competes {
            isOver = true
            return outcome.followed(by: then)
        }
        outputs[index] = outcome.value
        guard open.isEmpty else { return nil }
        isOver = true
        return Outcome(value: .array(outputs.map { $0 ?? .null }), flow: then)
    }

    /// Records that a branch failed; returns the error of the fork if it is now known.
    mutating func failed(_ index: Int, _ error: any Error) -> (any Error)? {
        open.remove(index)
        guard !isOver else { return nil }
        let first = firstError ?? error
        firstError = first
        guard !competes || open.isEmpty else { return nil }
        isOver = true
        return first
    }

    /// Ends the contest; returns the open branches, which the caller must interrupt.
    mutating func close() -> [Int] {
        isOver = true
        defer { open = [] }
        return open.sorted()
    }
}
