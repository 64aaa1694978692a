extension GraphEvent {
    fileprivate func identified(by identity: String?) -> GraphEvent {
        guard case .effect(var effect, let state) = kind else { return self }
        effect.identity = identity
        var event = self
        event.kind = .effect(effect, state)
        return event
    }

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

    /// Records the start of effects, before they are asked for.
    /// - Returns: The effects with their identities.
    @discardableResult
    func begin(
        _ effects: [Effect], _ task: ActiveTask, sending sent: Value, as operation: String? = nil
    ) -> [Effect] {
        effects.map { effect in
            var begun = effect
            let event = GraphEvent(
                operation: operation ?? effect.kind.rawValue, task: task.reference, kind: .effect(effect, .begun))
            let accounted = accounted(event, of: task, sending: sent)
            record(task.occurrence) { number in
                begun.identity = Event.id(number, of: id)
                return .request(task.reference, accounted.identified(by: begun.identity))
            }
            return begun
        }
    }

    /// The event as others see it, without secrets; nil if it cannot be shown.
    func concealed(_ event: GraphEvent) -> GraphEvent? {
        let whole = Event(
            number: 1, run: id, workflow: workflow.metadata, time: startedAt, kind: .request(event.task, event))
        guard case .request(_, let shown) = secrets.known.conceal(whole)?.event.kind else { return nil }
        return shown
    }
}
