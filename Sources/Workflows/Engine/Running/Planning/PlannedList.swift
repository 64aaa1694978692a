/// A list of tasks in a plan as a graph, and what is known of the jumps in it.
struct PlannedList: Sendable {
    let tasks: [Workflow.Task]
    let scope: Scope
    /// The flow of the outcome if a task exits the list.
    let exit: FlowDirective
    private let canJump: Bool
    /// The tasks that may follow each task, by their indices; the index after the last one is the end.
    private let followers: [[Int]]
    /// What is known at each task that an undecided jump leads back to, by the index of the task.
    var entries: [Int: PlannedRounds] = [:]
    /// The jumps back that were found, in the order of the plan.
    let jumps = Locked<[PlannedPlace]>([])

    init(_ tasks: [Workflow.Task], scope: Scope, exit: FlowDirective) {
        self.tasks = tasks
        self.scope = scope
        self.exit = exit
        canJump = tasks.contains(where: \.canJump)
        let places = Dictionary(zip(tasks.map(\.name), tasks.indices)) { first, _ in first }
        followers = tasks.enumerated().map { index, task in
            (task.continuations + (task.condition == nil ? [] : [.continue])).compactMap { directive in
                switch directive {
                case .continue: index + 1
                case .task(let name): places[name]
                case .exit, .end: nil
                }
            }
        }
    }

    /// Whether a jump can lead back, to its own task or an earlier one.
    var canJumpBack: Bool {
        canJump && tasks.indices.contains { index in followers[index].contains { $0 <= index } }
    }

    /// The first place that all ways from these tasks reach, unless they leave the list before.
    func meeting(of starts: [Int]) -> Int {
        var goal = starts.max() ?? tasks.count
        var index = starts.min() ?? goal
        var reached = Set(starts)
        while index < goal {
            if reached.contains(index) {
                reached.formUnion(followers[index])
                goal = max(goal, followers[index].max() ?? 0)
            }
            index += 1
        }
        return goal
    }

    /// Whether ways from these tasks, one for each, share a task before they meet.
    func overlap(_ starts: [Int], before goal: Int) -> Bool {
        var shared: Set<Int> = []
        return starts.contains { start in
            var reached: Set<Int> = [start]
            for index in start..<max(start, goal) where reached.contains(index) {
                reached.formUnion(followers[index].filter { $0 > index && $0 < goal })
            }
            defer { shared.formUnion(reached) }
            return start < goal && !shared.isDisjoint(with: reached)
        }
    }

    /// The scope of its tasks, after a number of jumps that is nil if only a run knows it.
    func scope(after jumps: Int?) -> Scope {
        guard canJump else { return scope }
        return scope.inside("jump:" + (entries.isEmpty ? jumps.map(String.init) ?? "?" : "*"))
    }
}

/// A place on the way through a list of tasks in a plan.
struct PlannedPlace: Sendable {
    var index: Int
    var value: Value
    var context: Value
    /// The number of jumps before; nil if only a run knows it.
    var jumps: Int? = 0
    /// Whether a run is certain to get here, so that a jump back is certain as well.
    var isCertain = true
    /// The ways that left the list before: by its end or the workflow's, with an error, or back with neither.
    var left: [PlannedWay] = []
    /// Whether all ways have left.
    var isClosed = false
    /// The task that decided between the ways last.
    var fork: String?

    /// The place after all its ways have left, the last one with this.
    func leaving(_ way: PlannedWay) -> PlannedPlace {
        var place = self
        place.left.append(way)
        place.isClosed = true
        return place
    }

    /// How a branch ends in which these are all ways.
    var end: PlannedBranch.End? {
        let outcomes = left.compactMap(\.outcome)
        guard isClosed, outcomes.allSatisfy({ $0.flow == .end }) else { return nil }
        if !outcomes.isEmpty { return .workflow }
        return left.compactMap(\.error).first.map { .fault($0) } ?? left.compactMap(\.target).first.map { .again($0) }
    }
}

/// How one of several ways leaves a list of tasks.
struct PlannedWay: Sendable {
    var outcome: Outcome?
    var error: WorkflowError?
    /// The task that it jumps back to.
    var target: String?
}

extension PlannedPlace {
    /// The place after a task of a list, from which it continues in a certain way.
    ///
    /// A jump back that is not certain ends the way: the tasks from there are planned once for all rounds.
    func followed(
        by flow: FlowDirective, of outcome: Outcome, in list: PlannedList
    ) throws(WorkflowError) -> PlannedPlace {
        var next = self
        (next.value, next.context) = (outcome.value, outcome.context ?? context)
        switch flow {
        case .continue: next.index += 1
        case .exit:
            return leaving(PlannedWay(outcome: Outcome(value: next.value, flow: list.exit, context: next.context)))
        case .end:
            return leaving(PlannedWay(outcome: Outcome(value: next.value, flow: .end, context: next.context)))
        case .task(let name):
            next.index = try list.tasks.index(of: name, after: index)
            next.jumps = jumps.map { $0 + 1 }
            guard next.index <= index, !isCertain else { break }
            list.jumps.withLock { [next] in $0.append(next) }
            return leaving(PlannedWay(target: name))
        }
        return next
    }
}
