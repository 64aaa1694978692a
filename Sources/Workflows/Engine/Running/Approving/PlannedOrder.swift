/// The order of a plan's tasks as a tree of paths, with what a run must have done before each place.
struct PlannedOrder: Sendable {
    /// The number of certain steps at one position of a sequence, or in one of several alternatives.
    struct Demand: Sendable {
        let number: Int
        fileprivate(set) var count: Int
    }

    /// The place at which several paths diverge.
    struct Node: Sendable {
        fileprivate(set) var children: [PlannedPlaces.Step: Int] = [:]
        /// The number of occurrence parts that all paths through it share.
        let rounds: Int
        fileprivate(set) var positions: [Demand] = []
        fileprivate(set) var ways: [Demand] = []
    }

    private(set) var nodes = [Node(rounds: 0)]

    init(_ places: [PlannedPlaces.Place]) {
        var demands: [Int: [PlannedPlaces.Step: Int]] = [:]
        for place in places {
            let line = add(place.path + [.position(0)])
            let count = place.task.steps.count { $0.isCertain }
            guard count > 0 else { continue }
            for (step, node) in place.certain(line) { demands[node, default: [:]][step, default: 0] += count }
        }
        for (node, counts) in demands {
            for (step, count) in counts {
                switch step {
                case .position(let number): nodes[node].positions.append(Demand(number: number, count: count))
                case .way(let number): nodes[node].ways.append(Demand(number: number, count: count))
                case .side, .round, .item: break
                }
            }
            nodes[node].positions.sort { $0.number < $1.number }
            nodes[node].ways.sort { $0.number < $1.number }
        }
    }

    /// The nodes of a path, from the root; one more than it has steps.
    func line(of path: [PlannedPlaces.Step]) -> [Int] {
        var line = [0]
        for step in path {
            guard let next = nodes[line[line.count - 1]].children[step] else { break }
            line.append(next)
        }
        return line
    }

    private mutating func add(_ path: [PlannedPlaces.Step]) -> [Int] {
        var line = [0]
        for step in path {
            let last = line[line.count - 1]
            if let next = nodes[last].children[step] {
                line.append(next)
                continue
            }
            var rounds = nodes[last].rounds
            switch step {
            case .round(let index), .item(let index): rounds = max(rounds, index + 1)
            case .position, .side, .way: break
            }
            nodes[last].children[step] = nodes.count
            line.append(nodes.count)
            nodes.append(Node(rounds: rounds))
        }
        return line
    }
}

extension PlannedPlaces.Place {
    /// The nodes passed by every run that has performed this task, each with the step to the task.
    func certain(_ line: [Int]) -> [(step: PlannedPlaces.Step, node: Int)] {
        ((forks.max() ?? 0)...path.count).map { depth in
            (depth < path.count ? path[depth] : .position(0), line[depth])
        }
    }
}

/// What the run of an approved plan has sent and started.
/// - Complexity: Every lookup depends on the depth of the plan, and not on its size.
struct DoneSteps: Sendable {
    private struct Execution: Hashable {
        let place: Int
        let occurrence: [Substring]
    }

    /// A node in a round of the loops around it.
    private struct Round: Hashable {
        let node: Int
        let occurrence: [Substring]
    }

    /// A node whose rounds a run performs one after the other.
    private struct Turn: Hashable {
        let node: Int
        let numbers: [Int]
    }

    private struct Counted: Hashable {
        let round: Round
        let place: Int
        let step: Int
    }

    private struct Latest {
        var position = Int.min
        var way = Int.min
        var round = Int.min
    }

    /// The fulfilled demands of a node.
    private struct Progress {
        var counts: [PlannedPlaces.Step: Int] = [:]
        /// The first unfulfilled demands.
        var position = 0
        var way = 0
    }

    let places: PlannedPlaces
    private(set) var all: [Approval.Done] = []
    private var indices: [Execution: [Int]] = [:]
    private var counted: Set<Counted> = []
    private var progress: [Round: Progress] = [:]
    private var latest: [Turn: Latest] = [:]

    init(_ places: PlannedPlaces, _ all: [Approval.Done] = []) {
        self.places = places
        for done in all { append(done) }
    }

    subscript(index: Int) -> Approval.Done {
        get { all[index] }
        set { all[index] = newValue }
    }

    func indices(of place: Int, _ occurrence: [Substring]) -> [Int] {
        indices[Execution(place: place, occurrence: occurrence)] ?? []
    }

    mutating func append(_ done: Approval.Done) {
        let occurrence = done.position.occurrence
        indices[Execution(place: done.place, occurrence: occurrence), default: []].append(all.count)
        all.append(done)
        let line = places.order.line(of: done.position.path)
        note(done.position, line)
        let place = places.all[done.place]
        guard place.task.steps[done.step].isCertain else { return }
        for (step, node) in place.certain(line) {
            guard let round = round(of: node, occurrence) else { continue }
            let isNew = counted.insert(Counted(round: round, place: done.place, step: done.step)).inserted
            if isNew { progress[round, default: Progress()].counts[step, default: 0] += 1 }
        }
    }

    private mutating func note(_ position: PlannedPlaces.Position, _ line: [Int]) {
        for (turn, step, number) in turns(position, line) {
            switch step {
            case .position: latest[turn, default: Latest()].position.rise(to: number)
            case .way: latest[turn, default: Latest()].way.rise(to: number)
            case .round: latest[turn, default: Latest()].round.rise(to: number)
            case .side, .item: break
            }
        }
    }

    /// Whether all certain steps before a position were done, and none after it.
    mutating func isInOrder(_ position: PlannedPlaces.Position) -> Bool {
        let line = places.order.line(of: position.path)
        for (turn, step, number) in turns(position, line) {
            guard let latest = latest[turn] else { continue }
            switch step {
            case .position: if latest.position > number { return false }
            case .way: if latest.way > number { return false }
            case .round: if latest.round > number { return false }
            case .side, .item: break
            }
        }
        // The last step is one of the task's own, whose order the task knows.
        for (step, node) in zip(position.path.dropLast(), line) {
            guard isFulfilled(before: step, at: node, position.occurrence) else { return false }
        }
        return true
    }

    /// Whether all certain steps before a step at a node were done.
    private mutating func isFulfilled(
        before step: PlannedPlaces.Step, at node: Int, _ occurrence: [Substring]
    ) -> Bool {
        let (demands, number, progressed): ([PlannedOrder.Demand], Int, WritableKeyPath<Progress, Int>)
        switch step {
        case .position(let position):
            (demands, number, progressed) = (places.order.nodes[node].positions, position, \.position)
        case .way(let way): (demands, number, progressed) = (places.order.nodes[node].ways, way, \.way)
        case .side, .round, .item: return true
        }
        guard let first = demands.first, first.number < number else { return true }
        guard let round = round(of: node, occurrence) else { return false }
        var known = progress[round] ?? Progress()
        while demands.indices.contains(known[keyPath: progressed]) {
            let demand = demands[known[keyPath: progressed]]
            let key: PlannedPlaces.Step =
                if case .way = step { .way(demand.number) } else { .position(demand.number) }
            guard known.counts[key] == demand.count else { break }
            known[keyPath: progressed] += 1
        }
        progress[round] = known
        let next = known[keyPath: progressed]
        return !demands.indices.contains(next) || demands[next].number >= number
    }

    /// The steps of a position with the numbers by which they are compared.
    private func turns(
        _ position: PlannedPlaces.Position, _ line: [Int]
    ) -> [(turn: Turn, step: PlannedPlaces.Step, number: Int)] {
        var numbers: [Int] = []
        return zip(position.path, line).map { step, node in
            let turn = Turn(node: node, numbers: numbers)
            let number: Int
            switch step {
            case .position(let own), .way(let own), .side(let own): number = own
            case .round(let index), .item(let index):
                number = PlannedPlaces.number(index, of: position)
                numbers.append(number)
            }
            return (turn, step, number)
        }
    }

    /// A node in the rounds of an occurrence; jumps are not counted, because data survives them.
    private func round(of node: Int, _ occurrence: [Substring]) -> Round? {
        let count = places.order.nodes[node].rounds
        guard occurrence.count >= count else { return nil }
        return Round(node: node, occurrence: occurrence.prefix(count).map { $0.hasPrefix("jump:") ? "jump:" : $0 })
    }
}

extension Int {
    fileprivate mutating func rise(to other: Int) { self = Swift.max(self, other) }
}
