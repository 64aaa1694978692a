/// The tasks of an approved plan by their places, and the order in which they can be performed.
struct PlannedPlaces: Sendable {
    /// A step on the path from the whole plan to a task or one of its requests.
    enum Step: Hashable, Sendable {
        case position(Int)
        /// One of several branches that are performed at the same time.
        case side(Int)
        /// One of several alternatives, of which a run takes one.
        case way(Int)
        /// A repetition; the number is in the occurrence's part at this index.
        case round(Int)
        /// One of several concurrent items; the number is in the occurrence's part at this index.
        case item(Int)
    }

    struct Place: Sendable {
        let task: PlannedTask
        let path: [Step]
        /// The parts of its occurrence, in which `*` is any number.
        let occurrence: [Substring]
        /// Prefix lengths of `path` at which execution can branch.
        let forks: [Int]
    }

    struct Position: Sendable {
        let path: [Step]
        let occurrence: [Substring]
    }

    let all: [Place]
    let order: PlannedOrder
    /// The places of executions with known rounds, and those of each task that match any rounds.
    private let exact: [TaskExecution: [Int]]
    private let patterns: [JSONPointer: [Int]]

    init(_ tasks: [PlannedTask]) {
        var collector = Collector()
        collector.collect(tasks, [], [], forks: [])
        all = collector.places
        order = PlannedOrder(all)
        var (exact, patterns): ([TaskExecution: [Int]], [JSONPointer: [Int]]) = ([:], [:])
        for (index, place) in all.enumerated() {
            let task = place.task.reference
            if place.occurrence.contains(where: \.isOpen) {
                patterns[task, default: []].append(index)
            } else {
                exact[TaskExecution(task, place.occurrence.joined(separator: "/")), default: []].append(index)
            }
        }
        (self.exact, self.patterns) = (exact, patterns)
    }

    /// The places at which the plan has an execution of a task, in order.
    func matching(_ task: JSONPointer, _ occurrence: String) -> [Int] {
        let parts = Self.parts(occurrence)
        let known = exact[TaskExecution(task, parts.joined(separator: "/"))] ?? []
        let fitting = (patterns[task] ?? []).filter { index in
            let planned = all[index].occurrence
            return planned.count == parts.count && zip(planned, parts).allSatisfy(Self.isSame)
        }
        return fitting.isEmpty ? known : (known + fitting).sorted()
    }

    static func parts(_ occurrence: String) -> [Substring] { occurrence.split(separator: "/") }

    /// Whether a part of a planned occurrence matches a part of a real one.
    private static func isSame(_ planned: Substring, _ real: Substring) -> Bool {
        planned == real || planned.isOpen && real.hasPrefix(planned.dropLast()) && real.last?.isNumber == true
    }

    /// The number of a round or an item in a position.
    static func number(_ index: Int, of position: Position) -> Int {
        guard position.occurrence.indices.contains(index) else { return 0 }
        return position.occurrence[index].split(separator: ":").last.flatMap { Int($0) } ?? 0
    }

    private struct Collector {
        var places: [Place] = []

        mutating func collect(_ tasks: [PlannedTask], _ path: [Step], _ outer: [Substring], forks: [Int]) {
            for (number, task) in tasks.enumerated() {
                let occurrence = PlannedPlaces.parts(task.occurrence)
                var inner = path
                for index in occurrence.indices where index >= outer.count {
                    if occurrence[index].isRound { inner.append(.round(index)) }
                    if occurrence[index].hasPrefix("item:") { inner.append(.item(index)) }
                }
                inner.append(.position(number))
                let isCertain = task.certainty == .certain && task.outcome.isPerformed
                let own = isCertain ? forks : forks + [inner.count]
                places.append(Place(task: task, path: inner, occurrence: occurrence, forks: own))
                collect(task, inner, occurrence, forks: own)
            }
        }

        private mutating func collect(_ task: PlannedTask, _ path: [Step], _ occurrence: [Substring], forks: [Int]) {
            // After an error a run continues with the handler, from the beginning again, or with the other items.
            let mayFail = task.retry != nil || task.collectsFailures || task.branches.contains { $0.kind == .handler }
            for (number, branch) in task.branches.enumerated() {
                var inner = path
                switch branch.kind {
                case .tasks, .round: inner.append(.position(number + 1))
                case .branch, .item: inner += [.position(task.branches.count + 1), .side(number)]
                case .alternative: inner += [.position(task.branches.count + 2), .way(number)]
                case .rest: inner.append(.position(task.branches.count + 4))
                case .handler: inner += [.position(task.branches.count + 3), .way(number)]
                }
                // A run that no task waits for continues in parallel with the tasks that follow.
                if !task.isAwaited { inner.append(.side(places.count)) }
                let isCertain =
                    branch.certainty == .certain && task.isAwaited && !mayFail
                    && [.tasks, .round, .branch, .item].contains(branch.kind)
                // `before` extensions precede the task's own requests.
                let first = path + [.position(number - task.branches.count)]
                let count = branch.tasks.prefix(while: \.isBeforeExtended).count
                collect(
                    Array(branch.tasks[..<count]), first, occurrence, forks: isCertain ? forks : forks + [first.count])
                collect(
                    Array(branch.tasks[count...]), inner, occurrence, forks: isCertain ? forks : forks + [inner.count])
            }
        }
    }
}

extension Substring {
    /// Whether only a run knows the number: `*` for each of several, `?` for one.
    fileprivate var isOpen: Bool { hasSuffix(":*") || hasSuffix(":?") }

    fileprivate var isRound: Bool {
        guard let kind = split(separator: ":").first else { return false }
        return ["for", "foreach", "try", "jump"].contains(kind)
    }
}

extension PlannedTask {
    fileprivate var isBeforeExtended: Bool {
        let place = reference.tokens
        return place.count == 7 && place.starts(with: ["use", "extensions"]) && place[4] == "before"
    }
}

extension PlannedTask.Outcome {
    fileprivate var isPerformed: Bool { if case .performed = self { true } else { false } }
}
