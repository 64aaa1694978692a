/// A list of tasks in a plan, and what is known of the jumps in it.
struct PlannedList: Sendable {
    let tasks: [Workflow.Task]
    let scope: Scope
    /// The flow of the outcome if a task exits the list.
    let exit: FlowDirective
    let canJump: Bool
    /// What is known at each task that an undecided jump leads back to, by the index of the task.
    var entries: [Int: PlannedRounds] = [:]
    /// The jumps back that were found, in the order of the plan.
    let jumps = Locked<[Jump]>([])

    /// The data and the context with which a task begins.
    struct Jump: Sendable {
        var index: Int
        var value: Value
        var context: Value
    }

    init(_ tasks: [Workflow.Task], scope: Scope, exit: FlowDirective) {
        self.tasks = tasks
        self.scope = scope
        self.exit = exit
        canJump = tasks.contains(where: \.canJump)
    }

    /// Whether a jump can lead back, to its own task or an earlier one.
    var canJumpBack: Bool {
        tasks.indices.contains { index in
            tasks[index].continuations.contains { directive in
                guard case .task(let name) = directive else { return false }
                return tasks[...index].contains { $0.name == name }
            }
        }
    }

    /// The scope of its tasks, after a number of jumps that is nil if only a run knows it.
    func scope(after jumps: Int?) -> Scope {
        guard canJump else { return scope }
        let count = entries.isEmpty ? jumps : nil
        return scope.inside("jump:" + (count.map(String.init) ?? "*"))
    }
}

extension DryTaskPerformer {
    private static let mostJumps = 10_000

    /// Plans tasks one by one, and every way to continue if a task cannot decide between several.
    ///
    /// If an undecided jump leads back to a task, the tasks from there are planned with the data common to all rounds.
    func perform(
        _ tasks: [Workflow.Task], input: Value, scope: Scope, exit: FlowDirective
    ) -> Promise<Outcome> {
        let list = PlannedList(tasks, scope: scope, exit: exit)
        guard list.canJumpBack else {
            return perform(list, from: 0, jumps: 0, input: input, context: scope.context)
        }
        return repeating(list) { list -> Promise<Step<PlannedList, PlannedList>> in
            list.jumps.withLock { $0 = [] }
            return planner.rehearse {
                perform(list, from: 0, jumps: 0, input: input, context: scope.context).asVoid().recover {
                    error -> Promise<Void> in
                    guard !error.isCancelled else { throw error }
                    return .value(())
                }
            }.map { () -> Step<PlannedList, PlannedList> in
                var wider = list
                var isWider = false
                for jump in list.jumps.withLock({ $0 }) {
                    var entry = wider.entries[jump.index] ?? PlannedRounds(data: jump.value, context: jump.context)
                    if !entry.covers(data: jump.value, context: jump.context) {
                        entry.widen(
                            data: jump.value, context: jump.context, by: planner, named: tasks[jump.index].name)
                        isWider = true
                    }
                    isWider = isWider || wider.entries[jump.index] == nil
                    wider.entries[jump.index] = entry
                }
                return isWider ? .again(wider) : .done(list)
            }
        }.then { list in perform(list, from: 0, jumps: 0, input: input, context: scope.context) }
    }

    /// Plans the tasks of a list from one of them; `first` is the number of jumps before, nil if unknown.
    func perform(
        _ list: PlannedList, from start: Int, jumps first: Int?, input: Value, context: Value
    ) -> Promise<Outcome> {
        typealias Place = (index: Int, value: Value, context: Value, jumps: Int)
        let tasks = list.tasks
        return repeating((index: start, value: input, context: context, jumps: 0)) {
            place -> Promise<Step<Place, Outcome>> in
            guard tasks.indices.contains(place.index) else {
                return .value(.done(Outcome(value: place.value, flow: .continue, context: place.context)))
            }
            let jumps = first.map { $0 + place.jumps }
            let (value, context) = enter(place.index, of: list, with: place.value, place.context)
            let scope = list.scope(after: jumps).with(context: context)
            return perform(tasks[place.index], input: value, scope: scope).then {
                outcome -> Promise<Step<Place, Outcome>> in
                let after = outcome.context ?? context
                if let alternatives = outcome.alternatives {
                    let turn = Turn(list: list, index: place.index, jumps: jumps)
                    return plan(alternatives, after: outcome.withContext(or: after), context: after, at: turn)
                        .map { .done($0) }
                }
                switch outcome.flow {
                case .continue: return .value(.again((place.index + 1, outcome.value, after, place.jumps)))
                case .exit: return .value(.done(Outcome(value: outcome.value, flow: list.exit, context: after)))
                case .end: return .value(.done(outcome.withContext(or: after)))
                case .task(let name):
                    let index = try tasks.index(of: name, after: place.index)
                    guard place.jumps < Self.mostJumps else {
                        throw WorkflowError(
                            .runtime, detail: "the plan does not end: it jumped to '\(name)' \(place.jumps) times",
                            instance: tasks[place.index].reference)
                    }
                    return .value(.again((index, outcome.value, after, place.jumps + 1)))
                }
            }
        }
    }

    /// The data and the context with which a task begins: wider ones if an undecided jump leads back to it.
    func enter(
        _ index: Int, of list: PlannedList, with value: Value, _ context: Value
    ) -> (value: Value, context: Value) {
        guard let entry = list.entries[index] else { return (value, context) }
        list.jumps.withLock { $0.append(PlannedList.Jump(index: index, value: value, context: context)) }
        return (entry.data, entry.context)
    }

    /// A place in a list with several ways to continue.
    struct Turn: Sendable {
        var list: PlannedList
        var index: Int
        /// The number of jumps in the list before; nil if only a run knows it.
        var jumps: Int?

        var task: Workflow.Task { list.tasks[index] }
    }

    struct Way: Sendable {
        var outcome: Outcome?
        var error: WorkflowError?
    }

    /// Plans every way up to the end of the list, and joins what is known of all of them.
    private func plan(
        _ alternatives: [PlannedAlternative], after outcome: Outcome, context: Value, at turn: Turn
    ) -> Promise<Outcome> {
        planner.reopen()
        guard planner.takeAlternatives(alternatives.count) else {
            return planTogether(alternatives, after: outcome, context: context, at: turn).map { ways in
                planner.end { _ in }
                return try join(ways, after: outcome, at: turn)
            }
        }
        return repeating([Way]()) { ways -> Promise<Step<[Way], [Way]>> in
            guard alternatives.indices.contains(ways.count) else { return .value(.done(ways)) }
            let alternative = alternatives[ways.count]
            planner.open(PlannedBranch(.alternative, alternative.title, alternative.certainty))
            return follow(
                alternative, with: alternative.value ?? outcome.value, alternative.context ?? context, at: turn
            ).map { .again(ways + [$0]) }
        }.map { ways in
            planner.end { _ in }
            return try join(ways, after: outcome, at: turn)
        }
    }

    private func follow(
        _ alternative: PlannedAlternative, with value: Value, _ context: Value, at turn: Turn
    ) -> Promise<Way> {
        let start: Int
        switch alternative.flow {
        case .end:
            planner.close(.workflow)
            return .value(Way(outcome: Outcome(value: value, flow: .end, context: context)))
        case .exit:
            planner.close()
            return .value(Way(outcome: Outcome(value: value, flow: turn.list.exit, context: context)))
        case .continue: start = turn.index + 1
        case .task(let name):
            do { start = try turn.list.tasks.index(of: name, after: turn.index) } catch {
                return Promise(error: error)
            }
            guard start > turn.index else {
                turn.list.jumps.withLock {
                    $0.append(PlannedList.Jump(index: start, value: value, context: context))
                }
                planner.close(.again(name))
                return .value(Way())
            }
        }
        var jumps = turn.jumps
        if case .task = alternative.flow { jumps = jumps.map { $0 + 1 } }
        return perform(turn.list, from: start, jumps: jumps, input: value, context: context).map { outcome in
            planner.close(outcome.flow == .end ? .workflow : nil)
            return Way(outcome: outcome)
        }.recover { error -> Promise<Way> in
            let error = WorkflowError(error, at: turn.task.reference)
            guard !error.is(.cancelled) else { throw error }
            planner.close(.fault(error))
            return .value(Way(error: error))
        }
    }

    private func join(_ ways: [Way], after outcome: Outcome, at turn: Turn) throws -> Outcome {
        let name = turn.task.name
        let ends = ways.compactMap(\.outcome).filter { $0.flow == .end }
        let others = ways.filter { way in way.outcome.map { $0.flow != .end } ?? false }
        guard let first = others.first?.outcome else {
            if let end = ends.first {
                return ends.dropFirst().reduce(end) { planner.join($0, $1, named: name) }
            }
            if let error = ways.compactMap(\.error).first { throw error }
            return Outcome(value: outcome.value, flow: .continue, context: outcome.context)
        }
        for end in ends { planner.noteEnding(end, of: run.id) }
        let value = others.compactMap(\.outcome?.value).dropFirst().reduce(first.value) {
            planner.join($0, $1, named: name)
        }
        let contexts = others.compactMap(\.outcome?.context)
        let context = contexts.dropFirst().reduce(contexts.first) { joined, other in
            joined.map { planner.join($0, other, named: name) }
        }
        let isOneWay = others.allSatisfy { $0.outcome?.flow == first.flow }
        let exits = others.compactMap(\.outcome).filter { $0.flow == .exit }.map(\.value)
        return Outcome(
            value: value, flow: isOneWay ? first.flow : .continue, context: context, exits: isOneWay ? [] : exits)
    }
}
