/// The known data at the start of something that a run repeats an unknown number of times.
///
/// One round's data and context are those of the next. The plan has one round for all; differences are unknown.
struct PlannedRounds: Sendable {
    /// The number of comparisons after which all data counts as unknown.
    private static let mostComparisons = 6

    private(set) var data: Value
    private(set) var context: Value
    /// The unknowns that replace what differs.
    private var varying: Set<Unknown> = []
    private var comparisons = 0

    init(data: Value, context: Value) {
        self.data = data
        self.context = context
    }

    /// Rounds that begin with this data, where what differed in former ones at the same place is unknown.
    init(data: Value, context: Value, like former: PlannedRounds?, by planner: Planner, named name: String) {
        self.init(data: data, context: context)
        guard let former else { return }
        guard !planner.isHurried else {
            self = self.unknown(by: planner, named: name)
            return
        }
        comparisons = former.comparisons
        self.data = widened(data, like: former.data, former.varying, by: planner, named: name)
        self.context = widened(context, like: former.context, former.varying, by: planner, named: "\(name).context")
    }

    /// Rounds about which nothing is known.
    fileprivate func unknown(by planner: Planner, named name: String) -> PlannedRounds {
        let (data, context) = (planner.unknown(name), planner.unknown("\(name).context"))
        var rounds = PlannedRounds(data: .unknown(data), context: .unknown(context))
        rounds.varying = [data, context]
        return rounds
    }

    private mutating func widened(
        _ value: Value, like former: Value, _ unknowns: Set<Unknown>, by planner: Planner, named name: String
    ) -> Value {
        switch (value, former) {
        case (_, .marked):
            guard let unknown = former.unknown, unknowns.contains(unknown) else { return value }
            return widened(value, former, by: planner, named: name)
        case (.object(var mine), .object(let theirs)):
            for (key, value) in mine {
                guard let other = theirs[key] else { continue }
                mine[key] = widened(value, like: other, unknowns, by: planner, named: "\(name).\(key)")
            }
            return .object(mine)
        case (.array(let mine), .array(let theirs)) where mine.count == theirs.count:
            return .array(
                zip(mine, theirs).map { widened($0, like: $1, unknowns, by: planner, named: "\(name)[]") })
        default: return value
        }
    }

    /// Whether the data and the context of another round agree with what is known.
    func covers(data other: Value, context otherContext: Value) -> Bool {
        Self.covers(data, other, varying) && Self.covers(context, otherContext, varying)
    }

    /// Replaces what differs in another round by unknowns.
    mutating func widen(data other: Value, context otherContext: Value, by planner: Planner, named name: String) {
        comparisons += 1
        data = widened(data, other, by: planner, named: name)
        context = widened(context, otherContext, by: planner, named: "\(name).context")
    }

    private mutating func widened(
        _ value: Value, _ other: Value, by planner: Planner, named name: String
    ) -> Value {
        guard !Self.covers(value, other, varying) else { return value }
        guard comparisons < Self.mostComparisons else {
            let unknown = planner.unknown(name)
            varying.insert(unknown)
            return .unknown(unknown)
        }
        var new: [Unknown] = []
        let joined = value.joined(with: other) { path, shape, _ in
            let unknown = planner.unknown(name + Planner.shown(path), shape)
            new.append(unknown)
            return unknown
        }
        varying.formUnion(new)
        return joined
    }

    /// Whether the known value includes the other one.
    private static func covers(_ known: Value, _ other: Value, _ varying: Set<Unknown>) -> Bool {
        if known == other { return true }
        switch (known, other) {
        case (.array(let mine), .array(let theirs)):
            return mine.count == theirs.count && zip(mine, theirs).allSatisfy { covers($0, $1, varying) }
        case (.object(let mine), .object(let theirs)):
            return mine.keys == theirs.keys
                && mine.allSatisfy { name, value in theirs[name].map { covers(value, $0, varying) } ?? false }
        case (.marked, _):
            guard let unknown = known.unknown, varying.contains(unknown) else { return false }
            return covers(unknown.shape, other, varying)
        default: return false
        }
    }

    private static func covers(_ shape: Unknown.Shape, _ other: Value, _ varying: Set<Unknown>) -> Bool {
        switch (shape, other.shape) {
        case (.any, _), (.text, .text), (.number, .number), (.boolean, .boolean): return true
        case (.object(let mine), .object(let theirs)):
            return mine.allSatisfy { name, value in theirs[name].map { covers(value, $0, varying) } ?? false }
        case (.array(let element), .array):
            if case .array(let all) = other { return all.allSatisfy { covers(element, $0, varying) } }
            guard case .array(let another)? = other.unknown?.shape else { return false }
            return covers(element, another, varying)
        default: return false
        }
    }
}

extension [Int: PlannedRounds] {
    /// The rounds as an earlier pass knew them, or without what it knew if the planner is in a hurry.
    func remembered(by planner: Planner, named name: (Int) -> String) -> Self {
        guard planner.isHurried else { return self }
        // In order, because unknowns of one name are numbered.
        return sorted { $0.key < $1.key }.reduce(into: [:]) { all, rounds in
            all[rounds.key] = rounds.value.unknown(by: planner, named: name(rounds.key))
        }
    }
}

extension Planner {
    /// The length from which on one element of a known list stands for all, so that a plan fits into memory.
    private static let mostElements = 10_000

    /// What is the same in all elements of a list that is too long to be planned one by one; nil of another list.
    func element(ofLong list: ArraySlice<Value>, named name: String) -> Value? {
        guard list.count > Self.mostElements, let first = list.first else { return nil }
        var all = PlannedRounds(data: first, context: .null)
        for element in list where !all.covers(data: element, context: .null) {
            all.widen(data: element, context: .null, by: self, named: name)
        }
        return all.data
    }
}

extension DryTaskPerformer {
    /// The place of a task in all runs of the plan, whatever is known of the jumps around it.
    func place(of task: ActiveTask) -> String { place(at: task.occurrence) + " \(task.reference)" }

    func place(at occurrence: String) -> String {
        run.path(to: occurrence).split(separator: "/").map { $0.hasPrefix("jump:") ? "jump" : $0 }
            .joined(separator: "/")
    }

    /// Plans one round that stands for all: with what is the same at the start of each.
    ///
    /// - Parameters:
    ///   - round: Plans a round.
    ///   - next: The data and the context with which another round follows it; nil if none does.
    func planRounds<T: Sendable>(
        of task: ActiveTask, from data: Value, _ context: Value,
        _ round: @escaping @Sendable (PlannedRounds) -> Promise<T>,
        next: @escaping @Sendable (T, PlannedRounds) -> (data: Value, context: Value)?
    ) -> Promise<(state: PlannedRounds, value: T)> {
        let name = task.name
        let first = { PlannedRounds(data: data, context: context, like: $0, by: planner, named: name) }
        return planner.settle(at: place(of: task), from: first, plan: round) { rounds, result in
            guard case .success(let planned) = result, let (data, context) = next(planned, rounds),
                !rounds.covers(data: data, context: context)
            else { return nil }
            var rounds = rounds
            rounds.widen(data: data, context: context, by: planner, named: name)
            return rounds
        }
    }
}
