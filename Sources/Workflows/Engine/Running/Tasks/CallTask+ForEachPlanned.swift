extension DryTaskPerformer {
    /// Plans the items: all of a known list, or one that represents all of an unknown or long list.
    func performItems(_ given: Value, _ task: ActiveTask) throws -> Promise<Outcome> {
        if let subject = task.definition.action.workflow, case .call(let call) = task.definition.action {
            let name = "\(call.function) \(subject.description)"
            if let end = run.world.end(ofRecursion: name, task) { return .value(end) }
        }
        let words = task.definition.definition["with"]?["in"]?.string ?? "in"
        switch given["in"] {
        case .array(let items):
            let left =
                run.isResumed
                ? items.indices.filter { run.recordedEnd(ofItem: $0, task) == nil }.map { items[$0] } : items
            if let all = planner.element(ofLong: left[...], named: "item") {
                return performOpen(try ForEach(given, [all], of: run, task), .each(words, left.count), task)
            }
            let loop = try ForEach(given, items, of: run, task)
            try loop.check(in: run, task)
            note(loop)
            return performAll(loop, task)
        case let list? where list.unknown?.mayBeArray ?? false:
            let item = planner.element(of: list, named: "item")
            return performOpen(try ForEach(given, [item], of: run, task), .each(words), task)
        case let list:
            throw WorkflowError(
                .validation, detail: "'in' must be an array, but it is \((list ?? .null).described)",
                instance: task.reference)
        }
    }

    private func note(_ loop: ForEach) {
        planner.note { task in
            task.concurrency = loop.concurrency
            task.collectsFailures = loop.failure == .continue
        }
    }

    private struct Planned: Sendable {
        var results: [ForEach.Result?] = []
        /// Whether an item that does not fail in the plan may fail at run time.
        var mayFail = false
        var failed: (index: Int, error: WorkflowError)?
    }

    /// Plans one item after the other; a run may use any order, as items do not depend on each other.
    private func performAll(_ loop: ForEach, _ task: ActiveTask) -> Promise<Outcome> {
        repeating(Planned()) { planned -> Promise<Step<Planned, Outcome>> in
            let index = planned.results.count
            guard loop.items.indices.contains(index) else {
                return .value(.done(try outcome(planned, of: loop, task)))
            }
            // Concurrent items may already have begun when one fails.
            let isCertain = planned.failed == nil || loop.failure == .continue
            let certainty = isCertain ? PlannedCertainty.certain : .loop("no item has failed")
            // What a resumed run has of an item is taken without a branch.
            let isOver = run.recordedEnd(ofItem: index, task) != nil
            let close = { @Sendable (end: PlannedBranch.End?) in isOver ? PlannedBranch(.item) : planner.close(end) }
            if !isOver { planner.open(PlannedBranch(.item, loop.title(of: index, in: run), certainty)) }
            return firstly { try run.perform(index, as: String(index), of: loop, task) }.map { output in
                var planned = planned
                planned.mayFail = close(nil).mayFail || planned.mayFail
                planned.results.append(.completed(output))
                return .again(planned)
            }.recover { error -> Promise<Step<Planned, Outcome>> in
                let error = WorkflowError(error, at: task.reference)
                guard !error.is(.cancelled) else { throw error }
                var planned = planned
                // Its last task is certain to fail.
                let before = close(.fault(error)).tasks.dropLast()
                planned.mayFail = planned.mayFail || before.contains(where: \.mayFail)
                planned.results.append(.failed(error))
                planned.failed = planned.failed ?? (index, error)
                if loop.failure == .stop, loop.concurrency == 1 { throw loop.error(error, of: index, in: run, task) }
                return .value(.again(planned))
            }
        }
    }

    private func outcome(_ planned: Planned, of loop: ForEach, _ task: ActiveTask) throws -> Outcome {
        if loop.failure == .stop, let failed = planned.failed {
            throw loop.error(failed.error, of: failed.index, in: run, task)
        }
        let expected = loop.output(planned.results)
        guard loop.failure == .continue, planned.mayFail else { return Outcome(value: expected, flow: task.then) }
        let entry = unknownEntry(of: task, output: .unknown(planner.unknown("\(task.name).output")))
        let value = planner.join(expected, output(entry, of: loop, task), named: task.name, isExpected: true)
        return Outcome(value: value, flow: task.then)
    }

    /// Plans the item that represents all of a list.
    private func performOpen(_ loop: ForEach, _ certainty: PlannedCertainty, _ task: ActiveTask) -> Promise<Outcome> {
        note(loop)
        planner.open(PlannedBranch(.item, "", certainty))
        return firstly { try run.perform(0, as: "*", of: loop, task) }.map { output in
            planner.close()
            return output
        }.recover { error -> Promise<Value> in
            let error = WorkflowError(error, at: task.reference)
            guard !error.is(.cancelled) else { throw error }
            planner.close(.fault(error))
            return .value(.unknown(planner.unknown("\(task.name).output")))
        }.map { output in
            let entry = unknownEntry(of: task, output: output)
            return Outcome(value: self.output(entry, of: loop, task), flow: task.then)
        }
    }

    private func unknownEntry(of task: ActiveTask, output: Value) -> Value {
        ["key": .unknown(planner.unknown("\(task.name).key")), "output": output]
    }

    /// An output whose numbers of completed and failed items are unknown.
    private func output(_ entry: Value, of loop: ForEach, _ task: ActiveTask) -> Value {
        let completed = Value.unknown(planner.unknown("\(task.name).completed", .array(entry)))
        guard loop.failure == .continue else { return ["completed": completed, "failed": []] }
        let failed: Value = [
            "key": .unknown(planner.unknown("\(task.name).key")),
            "error": .unknown(planner.unknown("\(task.name).error")),
        ]
        return [
            "completed": completed,
            "failed": .unknown(planner.unknown("\(task.name).failed", .array(failed))),
        ]
    }
}
