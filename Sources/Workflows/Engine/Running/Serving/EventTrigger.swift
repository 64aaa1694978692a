/// Collects the events that start a run (specification: dsl.md, "Event-driven scheduling").
struct EventTrigger: Sendable {
    private let events: EventConsumption
    private let reading: Workflow.Listen.Reading
    private let workflow: Workflow
    /// Where the filters' expressions are evaluated.
    private let scope: Scope
    private var selection: EventSelection
    /// What was read of the events so far, which will be the run's input.
    private(set) var taken: [Value] = []
    /// Whether no event has counted so far.
    private(set) var isUntouched = true

    init(_ events: EventConsumption, _ reading: Workflow.Listen.Reading, of workflow: Workflow, by runner: Runner) {
        (self.events, self.reading, self.workflow) = (events, reading, workflow)
        let secrets = SecretVault(
            for: workflow, by: runner, sharing: KnownSecrets(runner.secrets, sealedBy: SealSource()))
        let evaluator = Evaluator(
            workflow, id: runner.makeID(), startedAt: runner.now(), secrets,
            RunHistory(RunState(), Notifications(to: [])),
            by: runner)
        scope = Scope(evaluator, workflowInput: .null, reader: EventReader(from: 0), interrupt: Interrupt())
        selection = EventSelection(events)
    }

    /// Offers an event; returns whether a run starts with the taken events.
    mutating func offer(_ event: CloudEvent) -> Bool {
        guard event.isFor(workflow) else { return false }
        let verdict = selection.offer(event) { [scope] in scope.match($0, $1, $2, input: .null) }
        switch verdict {
        case .ignored: return false
        case .countedTowardsEnd: isUntouched = false
        case .taken:
            isUntouched = false
            taken.append(reading.value(of: event))
            if case .any(_, .condition(let condition)?) = events,
                (try? scope.holds(condition, .array(taken))) == true
            {
                selection.complete()
            }
        }
        return selection.isComplete
    }

    mutating func reset() {
        selection = EventSelection(events)
        taken = []
        isUntouched = true
    }
}

extension Runner {
    /// The input of the run that events start, in their order; nil if they do not start one.
    package func input(of workflow: Workflow, startedBy events: [CloudEvent]) -> Value? {
        guard case .on(let wanted, let reading)? = workflow.schedule else { return nil }
        var trigger = EventTrigger(wanted, reading, of: workflow, by: self)
        for event in events where trigger.offer(event) { return .array(trigger.taken) }
        return nil
    }
}
