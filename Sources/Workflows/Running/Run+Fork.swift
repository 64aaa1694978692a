import Promises

extension Run {
    /// Performs branches side by side, each with the task's input.
    ///
    /// Specification: dsl-reference.md, "Fork". Without a competition the output is an array of what the branches gave,
    /// in their order; the first error interrupts the other branches. In a competition the first branch that completes
    /// sets the output and the others are cancelled; a branch that fails drops out, and only when all have failed does
    /// the first error count. A branch that ends the workflow does so at once.
    func perform(_ fork: Workflow.Fork, of task: Workflow.Task, input: Value, scope: Scope) -> Promise<Outcome> {
        guard !fork.branches.isEmpty else {
            return .value(Outcome(value: fork.competes ? input : [], flow: task.then))
        }
        if let planner = runner.planner { return plan(fork, of: task, input: input, scope: scope, planner) }
        return Promise { resolver in
            let contest = Locked(Contest(count: fork.branches.count, competes: fork.competes))
            let branches = fork.branches.map { branch in
                var inner = scope
                inner.reader = scope.reader.branched()
                return self.perform(branch, input: input, scope: inner).get(on: nil) { [inner] _ in
                    scope.reader.join(inner.reader)
                }
            }
            let interrupt = { @Sendable in
                for index in contest.withLock({ $0.close() }) {
                    self.recordInterruption(inside: fork.branches[index].reference, includingItself: true)
                    branches[index].cancel()
                }
            }
            resolver.onCancel(interrupt)
            for (index, branch) in branches.enumerated() {
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
}

/// Which branches of a `fork` are still going on, and what the others gave.
private struct Contest {
    private var outputs: [Value?]
    private var open: Set<Int>
    private let competes: Bool
    private var firstError: (any Error)?
    private var isOver = false

    init(count: Int, competes: Bool) {
        outputs = Array(repeating: nil, count: count)
        open = Set(0..<count)
        self.competes = competes
    }

    /// Takes note of a branch that completed; the outcome of all of them where it is known now.
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

    /// Takes note of a branch that failed; the error of all of them where it is known now.
    mutating func failed(_ index: Int, _ error: any Error) -> (any Error)? {
        open.remove(index)
        guard !isOver else { return nil }
        let first = firstError ?? error
        firstError = first
        guard !competes || open.isEmpty else { return nil }
        isOver = true
        return first
    }

    /// Ends the contest; gives the branches that are still going on, which are to be interrupted.
    mutating func close() -> [Int] {
        isOver = true
        defer { open = [] }
        return open.sorted()
    }
}
