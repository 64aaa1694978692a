import Promises

extension LiveTaskPerformer {
    /// Performs branches concurrently, each with the task's input.
    ///
    /// Specification: dsl-reference.md, "Fork". Without competition, the output is an array of the branches' outputs in
    /// order, and the first error interrupts the other branches. In a competition, the first branch that completes sets
    /// the output and the others are cancelled; a branch that fails drops out, and the first error counts only if all
    /// fail. A branch that ends the workflow does so at once.
    func perform(_ fork: Workflow.Fork, _ task: ActiveTask) -> Promise<Outcome> {
        let scope = task.scope
        return Promise { resolver in
            // Events that ended branches have read are unread for the others.
            let reader = scope.reader.branched()
            var begun = Contest(count: fork.branches.count, competes: fork.competes)
            let verdict = recordedVerdict(of: fork, task, &begun)
            let contest = Locked(begun)
            let open = verdict == nil ? begun.open.sorted() : []
            var started: [Int: Promise<Outcome>] = [:]
            for index in open {
                var inner = scope
                inner.reader = reader.branched()
                started[index] = perform(fork.branches[index], input: task.input, scope: inner).get(on: nil) {
                    [inner] _ in scope.reader.join(inner.reader)
                }
            }
            let branches = started
            let interrupt = { @Sendable in
                for index in contest.withLock({ $0.close() }) {
                    run.recordInterruption(
                        inside: scope.execution(of: fork.branches[index]), includingItself: true)
                    branches[index]?.cancel()
                }
            }
            if let verdict {
                interrupt()
                return resolver.resolve(verdict)
            }
            resolver.onCancel(interrupt)
            for index in open {
                branches[index]?.done(on: nil) { outcome in
                    guard let verdict = contest.withLock({ $0.completed(index, outcome, then: task.then) }) else {
                        return
                    }
                    interrupt()
                    resolver.fulfill(verdict)
                }.catch(on: nil, policy: .allErrors) { error in
                    guard let verdict = contest.withLock({ $0.failed(index, error) }) else { return }
                    interrupt()
                    resolver.reject(verdict)
                }
            }
        }
    }

    /// The result of the branches that ended in the journal, in the order of their ends; nil if others must run.
    ///
    /// No other branch may begin before this is known.
    private func recordedVerdict(
        of fork: Workflow.Fork, _ task: ActiveTask, _ contest: inout Contest
    ) -> Result<Outcome, any Error>? {
        let ended = fork.branches.indices.compactMap { index -> (index: Int, frame: RunState.Frame)? in
            let frame = run.memory(of: task.scope.execution(of: fork.branches[index]))
            return frame.flatMap { $0.end == nil ? nil : (index, $0) }
        }
        for (index, frame) in ended.sorted(by: { $0.frame.endNumber < $1.frame.endNumber }) {
            switch frame.end {
            case .completed(let output, let then):
                task.scope.reader.read(frame.positions)
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
    /// Plans branches one after the other, so that the same workflow always gives the same plan.
    func perform(_ fork: Workflow.Fork, _ task: ActiveTask) -> Promise<Outcome> {
        // A branch may begin before or after another one exports a context.
        rounds(from: task.input, named: task.name) { _ in
            performBranches(of: fork, task).map { sides in
                run.context = sides.map(\.context).reduce(run.context) {
                    planner.join($0, $1, named: "\(task.name).context")
                }
                return task.input
            }
        }.then { rounds in
            run.context = rounds.context
            return performBranches(of: fork, task).get { _ in run.context = rounds.context }
        }.map { sides in
            let outcomes = sides.compactMap { try? $0.result.get() }
            let error = sides.compactMap { side in if case .failure(let error) = side.result { error } else { nil } }
                .first
            if let error, !fork.competes || outcomes.isEmpty { throw error }
            let before = run.context
            let contexts = sides.map(\.context).filter { $0 != before }
            run.context = contexts.dropFirst().reduce(contexts.first ?? run.context) {
                planner.join($0, $1, named: task.name)
            }
            guard fork.competes, let first = outcomes.first else {
                if let end = outcomes.first(where: { $0.flow == .end }) { return end }
                return Outcome(value: .array(outcomes.map(\.value)), flow: task.then)
            }
            let others = outcomes.filter { $0.flow != .end }
            for end in outcomes where end.flow == .end && !others.isEmpty { planner.noteEnding(end.value, of: run.id) }
            let output = (others.isEmpty ? outcomes : others).dropFirst().reduce(others.first ?? first) {
                Outcome(value: planner.join($0.value, $1.value, named: task.name), flow: $0.flow)
            }
            return output.followed(by: task.then)
        }
    }

    /// What is known of a branch at its end.
    private struct Side: Sendable {
        var result: Result<Outcome, any Error>
        var context: Value
    }

    /// Plans every branch from the same context, also after one that fails: they are performed concurrently.
    private func performBranches(of fork: Workflow.Fork, _ task: ActiveTask) -> Promise<[Side]> {
        let before = run.context
        return repeating([Side]()) { sides -> Promise<Step<[Side], [Side]>> in
            guard fork.branches.indices.contains(sides.count) else { return .value(.done(sides)) }
            let branch = fork.branches[sides.count]
            run.context = before
            planner.open(PlannedBranch(.branch, branch.name, fork.competes ? .race : .certain))
            return perform(branch, input: task.input, scope: task.scope).map { outcome in
                planner.close(outcome.flow == .end ? .workflow : nil)
                return .again(sides + [Side(result: .success(outcome), context: run.context)])
            }.recover { error -> Promise<Step<[Side], [Side]>> in
                guard !error.isCancelled else { throw error }
                planner.close(.fault(WorkflowError(error, at: task.reference)))
                return .value(.again(sides + [Side(result: .failure(error), context: run.context)]))
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
