import Promises

extension Run {
    /// The position of the first event that the run can listen to: those that came before it are not for it.
    var firstEvent: Int {
        guard parent != nil else { return 0 }
        return journal.replay?.inner.last { $0.run == id }?.firstEvent ?? journal.bus.end
    }

    /// Hears of events from outside, where the workflow or one that it runs listens.
    ///
    /// An event is on disk before whoever sends it is answered.
    func connect() {
        guard parent == nil, !runner.isPlanning, let events = runner.events else { return }
        let workflows = [workflow] + library.workflows(reachableFrom: workflow)
        guard workflows.contains(where: \.listens) else { return }
        journal.subscription = events.subscribe { [weak self] event in
            guard let self else { return }
            record(.eventReceived(event))
            journal.flush()
        }
    }

    /// Hears of no more events.
    func disconnect() {
        guard parent == nil, let subscription = journal.subscription else { return }
        runner.events?.unsubscribe(subscription)
        journal.subscription = nil
    }
}

extension Workflow {
    /// Whether a task of it listens.
    fileprivate var listens: Bool { allTasks.contains { if case .listen = $0.action { true } else { false } } }
}
