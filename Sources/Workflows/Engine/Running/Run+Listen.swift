import Promises

extension Run {
    /// How far a task that listens has come.
    private struct Progress: Sendable {
        var selection: EventSelection
        /// The position of the next event to look at.
        var position: Int
        /// What was read of the events, for the condition that ends the wait.
        var events: [Value] = []
        /// The output so far.
        var output: [Value] = []

        mutating func take(_ item: Value, as output: Value, isLast: Bool) {
            events.append(item)
            self.output.append(output)
            if isLast { selection.complete() }
        }
    }

    /// Waits for events, and performs tasks for each of them.
    ///
    /// Specification: dsl-reference.md, "Listen". Events come from tasks of the run that emit them and from outside; each
    /// branch of the run reads each event once, also one that came before it listened.
    func perform(_ listen: Workflow.Listen, of task: Workflow.Task, input: Value, scope: Scope) -> Promise<Outcome> {
        if let planner = runner.planner { return plan(listen, of: task, input: input, scope: scope, planner) }
        let known = memory(of: scope.execution(of: task))
        if known?.listens.begun != true { record(.correlationStarted(task.reference), scope.occurrence) }
        let bus = chronicle.bus
        let start = Progress(selection: EventSelection(listen.events), position: scope.reader.start)
        return repeating(start) { progress -> Promise<Step<Progress, Outcome>> in
            var progress = progress
            guard !progress.selection.isComplete else {
                if known?.listens.ended != true {
                    self.record(
                        .correlationCompleted(task.reference, keys: progress.selection.keys), scope.occurrence)
                }
                return .value(.done(Outcome(value: .array(progress.output), flow: task.then)))
            }
            guard let (position, event) = bus.event(from: progress.position) else {
                return bus.arrival(at: progress.position).map { [progress] in .again(progress) }
            }
            progress.position = position + 1
            guard !scope.reader.hasRead(position) else { return .value(.again(progress)) }
            let verdict = progress.selection.offer(event) { self.match($0, $1, $2, input: input, scope: scope) }
            if case .ignored = verdict { return .value(.again(progress)) }
            scope.reader.read(position)
            if known?.reads.contains(position) != true {
                self.record(.eventRead(task.reference, position: position), scope.occurrence)
            }
            guard case .taken = verdict else { return .value(.again(progress)) }
            if let reading = known?.readings.dropFirst(progress.output.count).first {
                progress.take(listen.reading.value(of: event), as: reading.output, isLast: reading.isLast)
                return .value(.again(progress))
            }
            return self.take(event, by: listen, of: task, progress, input: input, scope: scope).map { .again($0) }
        }
    }

    /// Reads an event that was waited for, and performs what is to be done for it.
    private func take(
        _ event: CloudEvent, by listen: Workflow.Listen, of task: Workflow.Task, _ progress: Progress, input: Value,
        scope: Scope
    ) -> Promise<Progress> {
        let item = listen.reading.value(of: event)
        return perform(listen.iterator, for: item, at: progress.output.count, of: task, input: input, scope: scope)
            .map { output, context in
                var progress = progress
                var isLast = output.flow == .end
                if case .any(_, .condition(let condition)?) = listen.events {
                    isLast = try self.holds(condition, .array(progress.events + [item]), scope) || isLast
                }
                progress.take(item, as: output.value, isLast: isLast)
                self.record(
                    .iterationCompleted(
                        task.reference, round: progress.output.count - 1, output: output.value, context: context,
                        isLast: isLast), scope.occurrence)
                return progress
            }
    }

    /// Performs the tasks for one event, with the input of the task that listens.
    /// - Returns: What stands for the event in the output: the event itself, or what `output.as` makes of what the tasks
    ///   gave; and the new context where they export one.
    func perform(
        _ iterator: Workflow.Listen.Iterator?, for item: Value, at index: Int, of task: Workflow.Task, input: Value,
        scope: Scope
    ) -> Promise<(outcome: Outcome, context: Value?)> {
        guard let iterator else { return .value((Outcome(value: item, flow: .continue), nil)) }
        var scope = scope
        scope.locals[iterator.item] = item
        scope.locals[iterator.index] = .integer(index)
        return perform(iterator.tasks, input: input, scope: scope.inside("foreach:\(index)")).map { [scope] outcome in
            var scope = scope
            let raw = iterator.tasks.isEmpty ? item : outcome.value
            let output = iterator.output.as == nil ? item : try self.transform(iterator.output.as, raw, scope)
            try self.check(
                output, against: iterator.output.schema, as: "what stands for the event", in: task.reference)
            scope.output = output
            var context: Value?
            if let export = iterator.export.as {
                let exported = try self.evaluate(export, output, scope)
                try self.check(exported, against: iterator.export.schema, as: "the context", in: task.reference)
                context = exported
            }
            return (Outcome(value: output, flow: outcome.flow), context)
        }
    }
}

extension Workflow.Listen.Reading {
    /// What is read of an event.
    func value(of event: CloudEvent) -> Value {
        switch self {
        case .data: event.data ?? .null
        case .envelope: event.envelope
        case .raw: .string(event.rawData)
        }
    }
}
