extension DryTaskPerformer {
    private struct Loop: Sendable {
        let definition: Workflow.For
        let task: ActiveTask
        /// The elements; a single one represents all if their number is unknown.
        var elements: [Value]
        /// Whether the number of elements is unknown.
        var isOpen = false
        /// The number of rounds for which one is planned; nil if only a run knows it.
        var count: Int?
        /// The round in which a resumed run is.
        var begun: (number: Int, data: Value)?

        init(_ definition: Workflow.For, _ task: ActiveTask, _ elements: [Value]) {
            self.definition = definition
            self.task = task
            self.elements = elements
        }
    }

    private struct Round: Sendable {
        var index = 0
        var value: Value
        var context: Value
        /// The outputs and contexts with which the loop may have ended before, because its condition is undecided.
        var ends: [(value: Value, context: Value)] = []
    }

    /// Plans the rounds of a loop: all of a known collection, or one that represents all of an unknown or large one.
    func perform(_ definition: Workflow.For, _ task: ActiveTask) throws -> Promise<Outcome> {
        let collection = try run.elements(of: definition, task)
        var loop = Loop(definition, task, [])
        loop.begun = run.memory(of: task.execution)?.round
        switch collection {
        case .array(let known):
            loop.elements = known
            let left = known.dropFirst(loop.begun?.number ?? 0)
            guard let all = planner.element(ofLong: left, named: definition.item) else { break }
            (loop.isOpen, loop.elements) = (true, [all])
            if definition.condition == nil { loop.count = left.count }
            if loop.begun != nil { planner.noteGap("the round in which '\(task.name)' is counts as a whole one") }
        case .marked where collection.unknown?.mayBeArray ?? false:
            loop.isOpen = true
            loop.elements = [planner.element(of: collection, named: definition.item)]
        default:
            throw WorkflowError(
                of: definition.collection.expression, "'for.in' must be an array, but it is \(collection.described)",
                in: task.definition)
        }
        guard !loop.isOpen else { return try performOpen(loop) }
        let start = Round(
            index: loop.begun?.number ?? 0, value: loop.begun?.data ?? task.input, context: task.scope.context)
        return repeating(start) { [loop] round in
            try perform(round, of: loop)
        }
    }

    private func scope(of index: Int, in loop: Loop) -> Scope {
        let number = loop.isOpen ? Value.unknown(planner.unknown(loop.definition.index, .number)) : .integer(index)
        return loop.task.defining(loop.definition.item, as: loop.elements[index])
            .defining(loop.definition.index, as: number).scope
    }

    /// The end of a loop, which may have ended before.
    private func end(_ round: Round, of loop: Loop) -> Step<Round, Outcome> {
        let name = loop.task.name
        let context = round.ends.reduce(round.context) { planner.join($0, $1.context, named: name) }
        let value = round.ends.reduce(round.value) { planner.join($0, $1.value, named: name) }
        return .done(Outcome(value: value, flow: loop.task.then, context: context))
    }

    /// Plans one round of a known collection, if its condition may hold.
    private func perform(_ round: Round, of loop: Loop) throws -> Promise<Step<Round, Outcome>> {
        guard loop.elements.indices.contains(round.index) else { return .value(end(round, of: loop)) }
        var next = round
        next.index += 1
        let scope = scope(of: round.index, in: loop).with(context: round.context)
        var certainty = PlannedCertainty.certain
        if let condition = loop.definition.condition, round.index != loop.begun?.number {
            switch try scope.truth(of: condition, round.value) {
            case nil:
                certainty = .loop(condition.shown)
                next.ends.append((round.value, round.context))
            case true?: break
            case false?: return .value(end(round, of: loop))
            }
        }
        let last = next.ends.last
        if last != nil, certainty == .certain { certainty = .loop("the condition holds before") }
        planner.open(PlannedBranch(.round, "\(round.index + 1) of \(loop.elements.count)", certainty))
        let inner = scope.inside("for:\(round.index)")
        return perform(loop.definition.tasks, input: round.value, scope: inner).map { [next] outcome in
            planner.close(outcome.flow == .end ? .workflow : nil)
            var next = next
            (next.value, next.context) = (outcome.value, outcome.context ?? round.context)
            guard outcome.flow == .end else { return .again(next) }
            guard let last else { return .done(outcome.withContext(or: round.context)) }
            planner.noteEnding(outcome.withContext(or: round.context), of: run.id)
            (next.value, next.context) = last
            return end(next, of: loop)
        }.recover { [next] error -> Promise<Step<Round, Outcome>> in
            let error = WorkflowError(error, at: loop.task.reference)
            guard let last, !error.is(.cancelled) else { throw error }
            planner.close(.fault(error))
            var next = next
            (next.value, next.context) = last
            return .value(end(next, of: loop))
        }
    }

    /// Plans the round that represents all rounds.
    private func performOpen(_ loop: Loop) throws -> Promise<Outcome> {
        let task = loop.task
        let scope = scope(of: 0, in: loop).inside("for:*")
        let before = scope.context
        if let condition = loop.definition.condition, try scope.truth(of: condition, task.input) == false {
            return .value(Outcome(value: task.input, flow: task.then))
        }
        let branch = PlannedBranch(.round, "", .each(loop.definition.collection.shown, loop.count))
        return planRounds(of: task, from: loop.begun?.data ?? task.input, before) { rounds in
            let scope = scope.with(context: rounds.context)
            return perform(loop.definition.tasks, as: branch, of: task, input: rounds.data, scope: scope)
        } next: { outcome, rounds in
            (outcome.value, outcome.context ?? rounds.context)
        }.map { _, outcome in
            Outcome(
                value: planner.join(outcome.value, task.input, named: task.name), flow: task.then,
                context: planner.join(outcome.context ?? before, before, named: task.name))
        }
    }

    /// Plans tasks that are performed an unknown number of times.
    func perform(
        _ tasks: [Workflow.Task], as branch: PlannedBranch, of task: ActiveTask, input: Value, scope: Scope
    ) -> Promise<Outcome> {
        planner.open(branch)
        return perform(tasks, input: input, scope: scope).map { outcome in
            planner.close(outcome.flow == .end ? .workflow : nil)
            guard outcome.flow == .end else { return outcome.withContext(or: scope.context) }
            planner.noteEnding(outcome.withContext(or: scope.context), of: run.id)
            return Outcome(value: input, flow: .continue, context: scope.context)
        }.recover { error -> Promise<Outcome> in
            .value(try passOver(error, at: task, input: input, context: scope.context))
        }
    }

    /// Ends the open branch with an error of tasks that a run may skip, and continues from before them.
    func passOver(
        _ error: any Error, at task: ActiveTask, input: Value, context before: Value
    ) throws(WorkflowError) -> Outcome {
        let error = WorkflowError(error, at: task.reference)
        guard !error.is(.cancelled) else { throw error }
        planner.close(.fault(error))
        return Outcome(value: input, flow: .continue, context: before)
    }
}
