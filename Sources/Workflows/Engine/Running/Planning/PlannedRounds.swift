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

extension DryTaskPerformer {
    /// Finds out what is the same at the start of every round, by planning rounds that are not part of the plan.
    ///
    /// `round` plans one round from data and a context; nil if no other round follows it.
    func rounds(
        from data: Value, _ context: Value, named name: String,
        _ round: @escaping @Sendable (Value, Value) -> Promise<(data: Value, context: Value)?>
    ) -> Promise<PlannedRounds> {
        repeating(PlannedRounds(data: data, context: context)) {
            rounds -> Promise<Step<PlannedRounds, PlannedRounds>> in
            planner.rehearse {
                round(rounds.data, rounds.context).recover { error -> Promise<(data: Value, context: Value)?> in
                    guard !error.isCancelled else { throw error }
                    return .value(nil)
                }
            }.map { after in
                guard let (data, context) = after, !rounds.covers(data: data, context: context) else {
                    return .done(rounds)
                }
                var rounds = rounds
                rounds.widen(data: data, context: context, by: planner, named: name)
                return .again(rounds)
            }
        }
    }
}
