extension GraphEvent {
    /// Whether it records the outcome of an effect that must not be repeated.
    var settlesEffect: Bool {
        if case .effect(let effect, let state) = kind { effect.isOnce && state != .begun } else { false }
    }
}

extension Run {
    /// The event with the place and account of an effect.
    func accounted(_ event: GraphEvent, of task: ActiveTask) -> GraphEvent {
        guard case .effect(var effect, let state) = event.kind else { return event }
        effect = names.naming(effect.seen(by: runner.perspective))
        effect.task = task.reference
        effect.rounds = task.occurrence
        var event = event
        event.kind = .effect(effect, state)
        return event
    }

    func account(_ effects: [Effect], _ state: Effect.State, _ task: ActiveTask) {
        for effect in effects {
            let event = GraphEvent(operation: effect.kind.rawValue, task: task.reference, kind: .effect(effect, state))
            record(.request(task.reference, accounted(event, of: task)), task.occurrence)
        }
    }

    /// Records the start of effects that must not be repeated.
    func begin(_ effects: [Effect], _ task: ActiveTask) { account(effects.filter(\.isOnce), .begun, task) }
}
