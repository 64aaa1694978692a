extension GraphEvent {
    /// Whether it records the outcome of an effect that must not be repeated.
    var settlesEffect: Bool {
        if case .effect(let effect, let state) = kind { effect.isOnce && state != .begun } else { false }
    }
}

extension Run {
    /// The event with the place and account of an effect.
    /// - Parameter sent: What was sent: what an expression derived from a secret is concealed in the account.
    func accounted(_ event: GraphEvent, of task: ActiveTask, sending sent: Value) -> GraphEvent {
        guard case .effect(var effect, let state) = event.kind else { return event }
        effect = names.naming(effect.seen(by: runner.perspective))
        effect.task = task.reference
        effect.rounds = task.occurrence
        var event = event
        event.kind = .effect(effect, state)
        return event.marking(sent)
    }

    func account(_ effects: [Effect], _ state: Effect.State, _ task: ActiveTask, sending sent: Value) {
        for effect in effects {
            let event = GraphEvent(operation: effect.kind.rawValue, task: task.reference, kind: .effect(effect, state))
            record(.request(task.reference, accounted(event, of: task, sending: sent)), task.occurrence)
        }
    }

    /// Records the start of effects that must not be repeated.
    func begin(_ effects: [Effect], _ task: ActiveTask, sending sent: Value) {
        account(effects.filter(\.isOnce), .begun, task, sending: sent)
    }

    /// The event as others see it, without secrets; nil if it cannot be shown.
    func concealed(_ event: GraphEvent) -> GraphEvent? {
        let whole = Event(
            number: 1, run: id, workflow: workflow.metadata, time: startedAt, kind: .request(event.task, event))
        guard case .request(_, let shown) = secrets.known.conceal(whole)?.event.kind else { return nil }
        return shown
    }
}
