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
            let branches = open.map { index in
                var inner = scope
                inner.reader = reader.branched()
                return perform(fork.branches[index], input: task.input, scope: inner).get(on: nil) { [inner] _ in
                    scope.reader.join(inner.reader)
                }
            }
            let interrupt = { @Sendable in
                for index in contest.withLock({ $0.close() }) {
                    run.recordInterruption(
                        inside: scope.execution(of: fork.branches[index]), includingItself: true)
                    if let place = open.firstIndex(of: index) { branches[place].cancel() }
                }
            }
            if let verdict {
                interrupt()
                return resolver.resolve(verdict)
            }
            resolver.onCancel(interrupt)
            for (index, branch) in zip(open, branches) {
                branch.done(on: nil) { outcome in
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
        typealias Sides = [Outcome]
        return repeating(Sides()) { sides -> Promise<Step<Sides, Outcome>> in
            guard fork.branches.indices.contains(sides.count) else {
                if let end = sides.first(where: { $0.flow == .end }) { return .value(.done(end)) }
                guard let first = sides.first?.value, fork.competes else {
                    return .value(.done(Outcome(value: .array(sides.map(\.value)), flow: task.then)))
                }
                let output = sides.dropFirst().reduce(first) { planner.join($0, $1.value, named: task.name) }
                return .value(.done(Outcome(value: output, flow: task.then)))
            }
            let branch = fork.branches[sides.count]
            planner.open(PlannedBranch(.branch, branch.name, fork.competes ? .race : .certain))
            return perform(branch, input: task.input, scope: task.scope).map { outcome in
                planner.close(outcome.flow == .end ? .workflow : nil)
                return .again(sides + [outcome])
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
