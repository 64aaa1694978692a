import Promises

/// Builds the tree of a plan while the workflow is performed dry, one task after the other.
///
/// What begins is put on a stack, what ends is taken off it and becomes a part of what it is inside of.
final class Planner: Sendable {
    /// How many ways on from undecided tasks are looked into; each of them is followed to the end of its list.
    static let mostAlternatives = 64

    /// A branch that is being filled, of a task that is at work.
    private struct Frame {
        /// The task that the branch is a part of; nil for the workflow's own tasks.
        var task: PlannedTask?
        /// The branch; nil as long as the task has none open.
        var branch: PlannedBranch?

        /// Takes a task that has ended.
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

        /// Takes back the task that ended last.
        mutating func lastTask() -> PlannedTask? {
            if branch != nil { return branch?.tasks.popLast() }
            guard let index = task?.branches.indices.last else { return nil }
            return task?.branches[index].tasks.popLast()
        }
    }

    private struct State {
        var frames = [Frame(task: nil, branch: PlannedBranch(.tasks))]
        /// What would be done before the first task, as where the schema of the workflow's input is read.
        var early: [PlannedStep] = []
        var alternatives = 0
        /// What a run gives, by its id, where one of several ways ends it before its last task.
        var endings: [String: [Value]] = [:]
        /// How the values of symbols follow from other data, by the symbols.
        var derivations: [String: PlannedDerivation] = [:]
    }

    /// What takes the requests.
    let transport: PlanningTransport
    private let state = Locked(State())

    init(_ transport: PlanningTransport) { self.transport = transport }

    /// The workflow's own tasks, with their numbers.
    var tasks: [PlannedTask] {
        var tasks = state.withLock { $0.frames.first?.branch?.tasks ?? [] }
        tasks.number()
        return tasks
    }

    /// A new symbol of that name.
    func symbol(_ name: String) -> String { "‹\(transport.symbol(name))›" }

    /// A new symbol of that name, with how its value follows from other data.
    func symbol(_ name: String, from derivation: PlannedDerivation) -> String {
        let symbol = symbol(name)
        state.withLock { $0.derivations[symbol] = derivation }
        return symbol
    }

    /// How the values of symbols follow from other data, by the symbols.
    var derivations: [String: PlannedDerivation] { state.withLock { $0.derivations } }

    /// A task begins.
    func begin(_ task: PlannedTask) {
        state.withLock { state in
            var task = task
            task.steps += state.early
            state.early = []
            state.frames.append(Frame(task: task))
        }
    }

    /// The task that began last ends.
    /// - Parameter change: What becomes known of it at its end.
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

    /// Goes on with the task that ended last, because more follows from it.
    func reopen() {
        state.withLock { state in
            let top = state.frames.count - 1
            guard let task = state.frames[top].lastTask() else { return }
            state.frames.append(Frame(task: task))
        }
    }

    /// A branch of the task at work begins.
    func open(_ branch: PlannedBranch) {
        state.withLock { state in state.frames[state.frames.count - 1].branch = branch }
    }

    /// The branch ends.
    /// - Returns: The branch with all that is in it.
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

    /// Adds what would be done to the task at work, or to the first one where none has begun.
    func add(_ step: PlannedStep) {
        state.withLock { state in
            let top = state.frames.count - 1
            if top > 0 { state.frames[top].task?.steps.append(step) } else { state.early.append(step) }
        }
    }

    /// Notes something on the task at work.
    func note(_ change: (inout PlannedTask) -> Void) {
        state.withLock { state in
            guard state.frames.count > 1, var task = state.frames[state.frames.count - 1].task else { return }
            state.frames[state.frames.count - 1].task = nil
            change(&task)
            state.frames[state.frames.count - 1].task = task
        }
    }

    /// Whether one more way may be looked into.
    func takeAlternative() -> Bool {
        state.withLock { state in
            state.alternatives += 1
            return state.alternatives <= Self.mostAlternatives
        }
    }

    /// Notes what a run gives where one of several ways ends it.
    func noteEnding(_ value: Value, of run: String) { state.withLock { $0.endings[run, default: []].append(value) } }

    /// What a run gives in all cases, when its last task gives that.
    func output(_ value: Value, of run: String) -> Value {
        state.withLock { $0.endings[run] ?? [] }.reduce(value) { join($0, $1, named: "output") }
    }

    /// What is known of data that are either these or those.
    /// - Parameter isExpected: Whether they are the first ones as long as nothing fails.
    func join(_ one: Value, _ other: Value, named name: String, isExpected: Bool = false) -> Value {
        one.joined(with: other) { path in
            let symbol = "\(name.asSymbolName)\(path)"
            return isExpected ? self.symbol(symbol, from: PlannedDerivation(one, at: path)) : self.symbol(symbol)
        }
    }
}

extension [PlannedTask] {
    /// Gives each task its number, after that of the task that it is inside of.
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
