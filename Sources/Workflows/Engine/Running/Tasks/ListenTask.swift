extension LiveTaskPerformer {
    private struct Progress: Sendable {
        var selection: EventSelection
        var position: Int
        /// The events as read, for the condition that ends the wait.
        var events: [Value] = []
        var output: [Value] = []

        mutating func take(_ item: Value, as output: Value, isLast: Bool) {
            events.append(item)
            self.output.append(output)
            if isLast { selection.complete() }
        }
    }

    /// Waits for events, and performs tasks for each of them.
    ///
    /// Specification: dsl-reference.md, "Listen". Events come from the run's tasks and from outside; each branch of the
    /// run reads each event once, even one that arrived before it listened.
    func perform(_ listen: Workflow.Listen, _ task: ActiveTask) -> Promise<Outcome> {
        let scope = task.scope
        let known = run.memory(of: task.execution)
        if known?.listens.begun != true { run.record(.correlationStarted(task.reference), task.occurrence) }
        let bus = run.journal.bus
        let start = Progress(selection: EventSelection(listen.events), position: scope.reader.start)
        return repeating(start) { progress -> Promise<Step<Progress, Outcome>> in
            var progress = progress
            guard !progress.selection.isComplete else {
                if known?.listens.ended != true {
                    run.record(
                        .correlationCompleted(task.reference, keys: progress.selection.keys), task.occurrence)
                }
                return .value(.done(Outcome(value: .array(progress.output), flow: task.then)))
            }
            guard let (position, event) = bus.event(from: progress.position) else {
                return bus.arrival(at: progress.position).map { [progress] in .again(progress) }
            }
            progress.position = position + 1
            guard !scope.reader.hasRead(position) else { return .value(.again(progress)) }
            let verdict = progress.selection.offer(event) { scope.match($0, $1, $2, input: task.input) }
            if case .ignored = verdict { return .value(.again(progress)) }
            scope.reader.read(position)
            if known?.reads.contains(position) != true {
                run.record(.eventRead(task.reference, position: position), task.occurrence)
            }
            guard case .taken = verdict else { return .value(.again(progress)) }
            if let reading = known?.readings.dropFirst(progress.output.count).first {
                progress.take(listen.reading.value(of: event), as: reading.output, isLast: reading.isLast)
                return .value(.again(progress))
            }
            return take(event, by: listen, task, progress).map { .again($0) }
        }
    }

    private func take(
        _ event: CloudEvent, by listen: Workflow.Listen, _ task: ActiveTask, _ progress: Progress
    ) -> Promise<Progress> {
        let item = listen.reading.value(of: event)
        return perform(listen.iterator, for: item, at: progress.output.count, task)
            .map { output, context in
                var progress = progress
                var isLast = output.flow == .end
                if case .any(_, .condition(let condition)?) = listen.events {
                    isLast = try task.scope.holds(condition, .array(progress.events + [item])) || isLast
                }
                progress.take(item, as: output.value, isLast: isLast)
                run.record(
                    .iterationCompleted(
                        task.reference, round: progress.output.count - 1, output: output.value, context: context,
                        isLast: isLast), task.occurrence)
                return progress
            }
    }
}

extension DryTaskPerformer {
    /// Plans a wait with one unknown event for each that the task waits for.
    func perform(_ listen: Workflow.Listen, _ task: ActiveTask) -> Promise<Outcome> {
        var (count, isOpen) = (1, false)
        switch listen.events {
        case .all(let filters): count = filters.count
        case .any(_, let until): isOpen = until != nil
        case .one: break
        }
        typealias Read = (output: [Value], context: Value)
        let known = run.memory(of: task.execution)
        let past = known?.readings ?? []
        if let known, known.reads.count > past.count {
            planner.noteGap("the event that '\(task.name)' has begun with counts as a whole one")
        }
        if past.last?.isLast ?? false { (count, isOpen) = (past.count, false) }
        if isOpen { count += past.count }
        let start = Read(past.map(\.output), task.scope.context)
        return repeating(start) { [count, isOpen] read -> Promise<Step<Read, Outcome>> in
            let (output, before) = read
            guard output.count < count else {
                // The number of events is unknown.
                let element = isOpen ? output.last : nil
                let value = element.map { .unknown(planner.unknown(task.name, .array($0))) } ?? Value.array(output)
                return .value(.done(Outcome(value: value, flow: task.then, context: before)))
            }
            let name = "\(task.name).\(listen.reading.rawValue)"
            let shape = listen.reading == .raw ? Unknown.Shape.text : .any
            let item = Value.unknown(planner.unknown(isOpen ? "\(name)[]" : name, shape))
            guard isOpen else {
                return perform(listen, item, at: output.count, as: .certain, task.with(context: before)).map {
                    .again((output + [$0.value], $0.context ?? before))
                }
            }
            return planRounds(of: task, from: task.input, before) { rounds in
                perform(listen, item, at: nil, as: .each("the events"), task.with(context: rounds.context))
            } next: { outcome, rounds in
                outcome.flow == .end ? nil : (task.input, outcome.context ?? rounds.context)
            }.map { rounds, outcome in .again((output + [outcome.value], outcome.context ?? rounds.context)) }
        }
    }

    private func perform(
        _ listen: Workflow.Listen, _ item: Value, at index: Int?, as certainty: PlannedCertainty, _ task: ActiveTask
    ) -> Promise<Outcome> {
        planner.open(PlannedBranch(.round, "", certainty))
        return perform(listen.iterator, for: item, at: index, task).map { round in
            planner.close(round.outcome.flow == .end ? .workflow : nil)
            return round.outcome
        }
    }
}

extension TaskPerformer {
    /// Performs the tasks for one event, whose number is nil if a plan does not know it.
    ///
    /// Returns the event's part of the output, and the new context if the tasks export one.
    fileprivate func perform(
        _ iterator: Workflow.Listen.Iterator?, for item: Value, at index: Int?, _ task: ActiveTask
    ) -> Promise<(outcome: Outcome, context: Value?)> {
        guard let iterator else { return .value((Outcome(value: item, flow: .continue), nil)) }
        let number = index.map(Value.integer) ?? .unknown(Unknown(Drawing.name(iterator.index), .number))
        let scope = task.defining(iterator.item, as: item).defining(iterator.index, as: number).scope
        return perform(
            iterator.tasks, input: task.input, scope: scope.inside("foreach:\(index.map(String.init) ?? "*")")
        ).map { outcome in
            var scope = scope.following(outcome)
            let raw = iterator.tasks.isEmpty ? item : outcome.value
            let output = iterator.output.as == nil ? item : try scope.transform(iterator.output.as, raw)
            try run.check(
                output, against: iterator.output.schema, as: "the output for the event", scope,
                in: task.reference)
            scope.update { $0.output = output }
            let context = try run.exported(iterator.export, of: output, scope)
            let carried = scope.carried(context ?? outcome.context)
            return (Outcome(value: output, flow: outcome.flow, context: carried), context)
        }
    }
}

extension Workflow.Listen.Reading {
    /// The part of an event that is read.
    func value(of event: CloudEvent) -> Value {
        switch self {
        case .data: event.data ?? .null
        case .envelope: event.envelope
        case .raw: event.raw
        }
    }
}
