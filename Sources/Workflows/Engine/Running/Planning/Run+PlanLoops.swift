import Promises

extension Run {
    /// A place in a loop of a plan.
    private typealias Round = (index: Int, value: Value)

    /// Plans the rounds of a loop: each of a collection that is known, and one of any other.
    func plan(
        _ loop: Workflow.For, of task: Workflow.Task, input: Value, scope: Scope, _ planner: Planner
    ) throws -> Promise<Outcome> {
        let collection = try evaluate(loop.collection, input, scope)
        let elements: [Value]
        var isOpen = true
        switch collection {
        case .array(let known):
            elements = known
            isOpen = collection.isOpenArray
        case .string(let text) where text.contains("‹"):
            elements = [.string(planner.symbol("\(loop.item.asSymbolName)[]"))]
        default:
            throw WorkflowError(
                .expression, detail: "'for.in' must give an array, but it gave \(collection.described)",
                instance: task.reference)
        }
        return repeating((index: 0, value: input)) { [isOpen] round -> Promise<Step<Round, Outcome>> in
            guard elements.indices.contains(round.index) else {
                return .value(.done(Outcome(value: round.value, flow: task.then)))
            }
            var scope = scope
            scope.locals[loop.item] = elements[round.index]
            scope.locals[loop.index] =
                isOpen ? .string(planner.symbol("\(loop.index.asSymbolName)")) : .integer(round.index)
            var certainty = isOpen ? PlannedCertainty.each(loop.collection.shown) : .certain
            if let condition = loop.condition {
                if !isOpen, self.hangs(condition, round.value, scope) {
                    certainty = .loop(condition.shown)
                } else if !isOpen || !self.hangs(condition, round.value, scope) {
                    guard try self.holds(condition, round.value, scope) else {
                        return .value(.done(Outcome(value: round.value, flow: task.then)))
                    }
                }
            }
            let title = isOpen ? "" : "\(round.index + 1) of \(elements.count)"
            let branch = PlannedBranch(.round, title, certainty)
            return self.plan(loop.tasks, as: branch, of: task, input: round.value, scope: scope, planner).map {
                outcome in
                if outcome.flow == .end { return .done(outcome) }
                guard branch.certainty == .certain else {
                    return .done(Outcome(value: outcome.value, flow: task.then))
                }
                return .again((round.index + 1, outcome.value))
            }
        }
    }

    /// Plans tasks that are performed once for certain, or as often as nobody knows.
    private func plan(
        _ tasks: [Workflow.Task], as branch: PlannedBranch, of task: Workflow.Task, input: Value, scope: Scope,
        _ planner: Planner
    ) -> Promise<Outcome> {
        let before = context
        planner.open(branch)
        return perform(tasks, input: input, scope: scope).map { outcome in
            planner.close(outcome.flow == .end ? .workflow : nil)
            guard branch.certainty != .certain else { return outcome }
            self.leave(planner.join(self.context, before, named: task.name), in: task)
            if outcome.flow == .end {
                planner.noteEnding(outcome.value, of: self.id)
                return Outcome(value: input, flow: .continue)
            }
            return Outcome(value: planner.join(outcome.value, input, named: task.name), flow: .continue)
        }.recover { error -> Promise<Outcome> in
            let error = WorkflowError(error, at: task.reference)
            guard branch.certainty != .certain, !error.is(.cancelled) else { throw error }
            planner.close(.fault(error))
            self.leave(before, in: task)
            return .value(Outcome(value: input, flow: .continue))
        }
    }

    /// Plans branches one after the other, so that the same workflow always gives the same plan.
    func plan(
        _ fork: Workflow.Fork, of task: Workflow.Task, input: Value, scope: Scope, _ planner: Planner
    ) -> Promise<Outcome> {
        typealias Sides = [Outcome]
        return repeating(Sides()) { sides -> Promise<Step<Sides, Outcome>> in
            guard fork.branches.indices.contains(sides.count) else {
                if let end = sides.first(where: { $0.flow == .end }) { return .value(.done(end)) }
                guard let first = sides.first?.value, fork.competes else {
                    return .value(.done(Outcome(value: .array(sides.map(\.value)), flow: task.then)))
                }
                let output = sides.dropFirst().reduce(first) { planner.join($0, $1.value, named: task.name) }
                return .value(.done(Outcome(value: output, flow: task.then)))
            }
            let branch = fork.branches[sides.count]
            planner.open(PlannedBranch(.branch, branch.name, fork.competes ? .race : .certain))
            return self.perform(branch, input: input, scope: scope).map { outcome in
                planner.close(outcome.flow == .end ? .workflow : nil)
                return .again(sides + [outcome])
            }
        }
    }

    /// Plans a wait for events that are made up, because none comes to a plan: one for each that the task waits for.
    func plan(
        _ listen: Workflow.Listen, of task: Workflow.Task, input: Value, scope: Scope, _ planner: Planner
    ) -> Promise<Outcome> {
        var (count, isOpen) = (1, false)
        switch listen.events {
        case .all(let filters): count = filters.count
        case .any(_, let until): isOpen = until != nil
        case .one: break
        }
        return repeating([Value]()) { [count, isOpen] output -> Promise<Step<[Value], Outcome>> in
            guard output.count < count else {
                let all = Value.array(output)
                // How many events come nobody knows.
                let value = isOpen && !all.isOpenArray ? .string(planner.symbol(task.name.asSymbolName)) : all
                return .value(.done(Outcome(value: value, flow: task.then)))
            }
            let name = "\(task.name.asSymbolName).\(listen.reading.rawValue)"
            let item = Value.string(planner.symbol(isOpen ? "\(name)[]" : name))
            planner.open(
                PlannedBranch(.round, "", isOpen ? .each("the events") : .certain))
            return self.perform(listen.iterator, for: item, at: output.count, of: task, input: input, scope: scope)
                .map { round in
                    planner.close(round.outcome.flow == .end ? .workflow : nil)
                    return .again(output + [round.outcome.value])
                }
        }
    }
}
