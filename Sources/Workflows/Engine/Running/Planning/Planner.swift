/// Builds the tree of a plan during a dry run: a stack of open tasks, each moved into its parent at its end.
final class Planner: Sendable {
    /// The maximum number of alternatives that are planned one by one, each up to the end of its list.
    static let mostAlternatives = 64
    /// The number of open tasks from which on what follows is not planned inside what it follows.
    private static let mostOpen = 100

    /// An open task with its open branch.
    fileprivate struct Frame {
        /// The task; nil for the workflow itself.
        var task: PlannedTask?
        var branch: PlannedBranch?

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

    fileprivate struct Branch {
        let run: String
        /// The contexts that the other branches may have exported.
        let others: [Value]
        var exports: [Value] = []
    }

    fileprivate struct State {
        var frames = [Frame(task: nil, branch: PlannedBranch(.tasks))]
        /// Steps before the first task, such as reading the schema of the workflow's input.
        var early: [PlannedStep] = []
        var alternatives = 0
        var expected: Set<Unknown> = []
        /// The outcomes of alternatives that end a run before its last task, by the run's id.
        var endings: [String: [Outcome]] = [:]
        /// The branches of forks around the place.
        var branches: [Branch] = []
        /// Why the plan may leave something out, each reason once.
        var gaps: [String] = []
    }

    let transport: PlanningTransport
    /// Records the files that are read.
    let files = FileWatch()
    private let state = Locked(State())
    let learning = Locked(Learning())

    /// What people call the things whose ids it reads.
    let names = KnownNames()

    init(_ transport: PlanningTransport) { self.transport = transport }

    /// The workflow's own tasks, with their numbers.
    var tasks: [PlannedTask] {
        var tasks = state.withLock { $0.frames.first?.branch?.tasks ?? [] }
        tasks.number()
        for index in tasks.indices { tasks[index].draw(unknowns) }
        return tasks
    }

    var unknowns: UnknownTokens { transport.unknowns }

    func unknown(_ name: String, _ shape: Unknown.Shape = .any, from origin: Unknown.Origin = .run) -> Unknown {
        unknowns.unknown(name, shape, from: origin)
    }

    func begin(_ task: PlannedTask) {
        learning.withLock { $0.effort += 1 }
        state.withLock { state in
            var task = task
            task.steps += state.early
            state.early = []
            state.frames.append(Frame(task: task))
        }
    }

    /// Ends the task that began last; `change` adds what is known at its end.
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

    func open(_ branch: PlannedBranch) {
        state.withLock { state in state.frames[state.frames.count - 1].branch = branch }
    }

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

    /// Adds a step to the open task, or to the first task if none has begun.
    func add(_ step: PlannedStep) {
        state.withLock { state in
            let top = state.frames.count - 1
            guard top > 0 else { return state.early.append(step) }
            if case .request(let last)? = state.frames[top].task?.steps.last, case .request(let next) = step,
                let first = last.answered(by: next)
            {
                state.frames[top].task?.steps.removeLast()
                state.frames[top].task?.steps.append(.request(first))
            } else {
                state.frames[top].task?.steps.append(step)
            }
        }
    }

    func note(_ change: (inout PlannedTask) -> Void) {
        state.withLock { state in
            guard state.frames.count > 1, var task = state.frames[state.frames.count - 1].task else { return }
            state.frames[state.frames.count - 1].task = nil
            change(&task)
            state.frames[state.frames.count - 1].task = task
        }
    }

    /// The requests of the tasks of an open `try`, with their tasks.
    /// - Parameter names: The names of the tasks, or of those around them; nil for all.
    func requests(ofTrying place: JSONPointer, named names: Set<String>?) -> [(PlannedRequest, PlannedTask)] {
        func requests(_ tasks: [PlannedTask], isWanted: Bool) -> [(PlannedRequest, PlannedTask)] {
            tasks.flatMap { task in
                let isWanted = isWanted || names?.contains(task.name) ?? true
                return (isWanted ? task.steps.requests.map { ($0, task) } : [])
                    + task.branches.flatMap { requests($0.tasks, isWanted: isWanted) }
            }
        }
        let tried = state.withLock { state in state.frames.last { $0.task?.reference == place }?.task?.branches }
        return (tried ?? []).filter { $0.kind == .tasks }.flatMap { requests($0.tasks, isWanted: false) }
    }

    /// Whether this many more alternatives may be planned, each up to the end of its list.
    func takeAlternatives(_ count: Int) -> Bool {
        state.withLock { state in
            guard state.alternatives + count <= Self.mostAlternatives else { return false }
            state.alternatives += count
            return true
        }
    }

    /// Whether so many tasks are open that the plan would be hard to read, and take much room.
    var isDeep: Bool { state.withLock { $0.frames.count > Self.mostOpen } }

    /// What a rehearsal planned.
    struct Rehearsed: Sendable {
        fileprivate let state: State
        fileprivate let requests: PlanningTransport.Rehearsal
    }

    /// Plans something only for its result, and restores the plan; ``adopt(_:)`` makes what it planned a part of it.
    func rehearse<T: Sendable>(
        _ work: () -> Promise<T>
    ) -> Promise<(result: Result<T, any Error>, planned: Rehearsed)> {
        let before = (state: state.withLock { $0 }, requests: transport.beginRehearsal())
        return work().outcome.map { result in
            let state = self.state.withLock { known in
                defer { known = before.state }
                return known
            }
            return (result, Rehearsed(state: state, requests: self.transport.endRehearsal(before.requests)))
        }
    }

    /// Keeps what a rehearsal planned.
    /// - Returns: False if it left out reads that are sent now.
    func adopt(_ planned: Rehearsed) -> Bool {
        guard transport.adopt(planned.requests) else { return false }
        state.withLock { $0 = planned.state }
        return true
    }

    func noteGap(_ reason: String) {
        let reason = unknowns.drawn(reason)
        state.withLock { state in
            if !state.gaps.contains(reason) { state.gaps.append(reason) }
        }
    }

    var gaps: [String] {
        let documents = files.unreadDocuments.map { document in
            "'\(unknowns.drawn(document))' is only read by a run"
                + (UnknownTokens.isIn(document) ? "" : " (or --dry-run=read)")
        }
        let gaps = state.withLock { $0.gaps } + documents
        return files.isPartial
            ? gaps + ["the files that a run reads are only known at run time, and are too many to list"] : gaps
    }

    /// Whether nested calls of this name depend on something undecided.
    func isUndecidedRecursion(_ subject: String) -> Bool {
        state.withLock { state in
            guard let outer = state.frames.firstIndex(where: { $0.task?.subject == subject }) else { return false }
            let inside = state.frames[outer...]
            guard inside.count(where: { $0.task?.subject == subject }) > 2 else { return false }
            return inside.contains { frame in
                (frame.task?.certainty ?? .certain) != .certain || (frame.branch?.certainty ?? .certain) != .certain
            }
        }
    }

    func noteEnding(_ end: Outcome, of run: String) { state.withLock { $0.endings[run, default: []].append(end) } }

    /// The outcome of a run, joined from its last task and its alternatives.
    func output(_ outcome: Outcome, of run: String) -> Outcome {
        state.withLock { $0.endings[run] ?? [] }.reduce(outcome) { join($0, $1, named: "output") }
    }

    /// What is known of data with two possible values; the first is expected unless something fails, if `isExpected`.
    func join(_ one: Value, _ other: Value, named name: String, isExpected: Bool = false) -> Value {
        one.joined(with: other) { path, shape, alternatives in
            let joined = unknown(name + Self.shown(path), shape, from: .oneOf(alternatives))
            if isExpected { state.withLock { _ = $0.expected.insert(joined) } }
            return joined
        }
    }

    /// What is known of two outcomes' data and context; the first one says where to continue.
    func join(_ one: Outcome, _ other: Outcome, named name: String, isExpected: Bool = false) -> Outcome {
        let contexts = [one.context, other.context].compactMap(\.self)
        return Outcome(
            value: join(one.value, other.value, named: name, isExpected: isExpected), flow: one.flow,
            context: contexts.dropFirst().reduce(contexts.first) { known, context in
                known.map { join($0, context, named: name, isExpected: isExpected) }
            })
    }

    /// Begins a branch of a fork, whose other branches may export contexts at any time.
    func beginBranch(of run: String, meeting contexts: [Value]) {
        state.withLock { $0.branches.append(Branch(run: run, others: contexts)) }
    }

    /// Ends the branch that began last; returns the contexts that it exported.
    func endBranch() -> [Value] { state.withLock { $0.branches.popLast()?.exports } ?? [] }

    /// What is known of a run's context after an export: a concurrent branch may export another one.
    func export(_ context: Value, of run: String, named name: String) -> Value {
        let others = state.withLock { $0.branches }.filter { $0.run == run }.flatMap(\.others)
        let context = others.reduce(context) { join($0, $1, named: "\(name).context") }
        state.withLock { state in
            for index in state.branches.indices where state.branches[index].run == run {
                state.branches[index].exports.append(context)
            }
        }
        return context
    }

    /// The unknowns with several possible values, whose first one is expected.
    var expected: Set<Unknown> { state.withLock { $0.expected } }

    /// A path in the name of an unknown: `.photo.size`, or `[]` for the elements of an array.
    static func shown(_ path: [Value]) -> String {
        path.map { key in key.string.map { ".\($0)" } ?? "[]" }.joined()
    }
}
