import Promises

/// Builds the tree of a plan during a dry run, one task after the other.
///
/// A task is pushed on a stack when it begins, and moved into the task around it when it ends.
final class Planner: Sendable {
    /// How many alternatives are planned in all; each is followed to the end of its list.
    static let mostAlternatives = 64

    /// A task at work with its open branch.
    private struct Frame {
        /// The task; nil for the workflow itself.
        var task: PlannedTask?
        /// The branch; nil if the task has none open.
        var branch: PlannedBranch?

        /// Adds a task that has ended.
        mutating func take(_ task: PlannedTask) {
            guard branch == nil else {
                branch?.tasks.append(task)
                return
            }
            guard let last = self.task?.branches.last, last.kind == .tasks, last.title.isEmpty, last.end == nil else {
                var branch = PlannedBranch(.tasks)
                branch.tasks = [task]
                self.task?.branches.append(branch)
                return
            }
            let index = (self.task?.branches.count ?? 1) - 1
            self.task?.branches[index].tasks.append(task)
        }

        /// Removes the task that ended last.
        mutating func lastTask() -> PlannedTask? {
            if branch != nil { return branch?.tasks.popLast() }
            guard let index = task?.branches.indices.last else { return nil }
            return task?.branches[index].tasks.popLast()
        }
    }

    private struct State {
        var frames = [Frame(task: nil, branch: PlannedBranch(.tasks))]
        /// Steps before the first task, such as reading the schema of the workflow's input.
        var early: [PlannedStep] = []
        var alternatives = 0
        /// The outputs of alternatives that end a run before its last task, by the run's id.
        var endings: [String: [Value]] = [:]
        /// How unknowns are computed from other data, by the unknowns.
        var derivations: [String: PlannedDerivation] = [:]
    }

    let transport: PlanningTransport
    private let state = Locked(State())

    init(_ transport: PlanningTransport) { self.transport = transport }

    /// The workflow's own tasks, with their numbers.
    var tasks: [PlannedTask] {
        var tasks = state.withLock { $0.frames.first?.branch?.tasks ?? [] }
        tasks.number()
        return tasks
    }

    /// A new unknown with a name.
    func symbol(_ name: String) -> String { "‹\(transport.symbol(name))›" }

    /// A new unknown with a name that is computed from other data.
    func symbol(_ name: String, from derivation: PlannedDerivation) -> String {
        let symbol = symbol(name)
        state.withLock { $0.derivations[symbol] = derivation }
        return symbol
    }

    /// How unknowns are computed from other data, by the unknowns.
    var derivations: [String: PlannedDerivation] { state.withLock { $0.derivations } }

    func begin(_ task: PlannedTask) {
        state.withLock { state in
            var task = task
            task.steps += state.early
            state.early = []
            state.frames.append(Frame(task: task))
        }
    }

    /// Ends the task that began last.
    /// - Parameter change: Adds what is known at its end.
    func end(_ change: (inout PlannedTask) -> Void) {
        state.withLock { state in
            guard state.frames.count > 1 else { return }
            let frame = state.frames.removeLast()
            guard var task = frame.task else { return }
            if let branch = frame.branch { task.branches.append(branch) }
            change(&task)
            state.frames[state.frames.count - 1].take(task)
        }
    }

    /// Continues the task that ended last, because its alternatives follow.
    func reopen() {
        state.withLock { state in
            let top = state.frames.count - 1
            guard let task = state.frames[top].lastTask() else { return }
            state.frames.append(Frame(task: task))
        }
    }

    /// Begins a branch of the task at work.
    func open(_ branch: PlannedBranch) {
        state.withLock { state in state.frames[state.frames.count - 1].branch = branch }
    }

    /// Ends the open branch.
    @discardableResult func close(_ end: PlannedBranch.End? = nil) -> PlannedBranch {
        state.withLock { state in
            let top = state.frames.count - 1
            guard var branch = state.frames[top].branch else { return PlannedBranch(.tasks) }
            branch.end = end
            state.frames[top].branch = nil
            state.frames[top].task?.branches.append(branch)
            return branch
        }
    }

    /// Adds a step to the task at work, or to the first task if none has begun.
    func add(_ step: PlannedStep) {
        state.withLock { state in
            let top = state.frames.count - 1
            if top > 0 { state.frames[top].task?.steps.append(step) } else { state.early.append(step) }
        }
    }

    /// Changes the task at work.
    func note(_ change: (inout PlannedTask) -> Void) {
        state.withLock { state in
            guard state.frames.count > 1, var task = state.frames[state.frames.count - 1].task else { return }
            state.frames[state.frames.count - 1].task = nil
            change(&task)
            state.frames[state.frames.count - 1].task = task
        }
    }

    /// Whether one more alternative may be planned.
    func takeAlternative() -> Bool {
        state.withLock { state in
            state.alternatives += 1
            return state.alternatives <= Self.mostAlternatives
        }
    }

    /// Records the output of an alternative that ends a run.
    func noteEnding(_ value: Value, of run: String) { state.withLock { $0.endings[run, default: []].append(value) } }

    /// The output of a run, joined from its last task's output and its alternatives' outputs.
    func output(_ value: Value, of run: String) -> Value {
        state.withLock { $0.endings[run] ?? [] }.reduce(value) { join($0, $1, named: "output") }
    }

    /// What is known of data with two possible values.
    /// - Parameter isExpected: Whether it is the first value unless something fails.
    func join(_ one: Value, _ other: Value, named name: String, isExpected: Bool = false) -> Value {
        one.joined(with: other) { path in
            let symbol = "\(name.asSymbolName)\(path)"
            return isExpected ? self.symbol(symbol, from: PlannedDerivation(one, at: path)) : self.symbol(symbol)
        }
    }
}

extension [PlannedTask] {
    /// Numbers the tasks, each after the number of the task around it.
    fileprivate mutating func number(inside prefix: String = "") {
        for index in indices { self[index].number(as: prefix + String(index + 1)) }
    }
}

extension PlannedTask {
    fileprivate mutating func number(as number: String) {
        self.number = number
        var count = 0
        for branch in branches.indices {
            for task in branches[branch].tasks.indices {
                count += 1
                branches[branch].tasks[task].number(as: "\(number).\(count)")
            }
        }
    }
}
