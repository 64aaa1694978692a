import Promises

extension Run {
    /// The position of the first event that the run can listen to; an inner run ignores earlier ones.
    var firstEvent: Int {
        guard parent != nil else { return 0 }
        return journal.replay?.inner.last { $0.run == id }?.firstEvent ?? journal.bus.end
    }

    /// Subscribes to events from outside if the workflow or one that it runs listens.
    ///
    /// An event is on disk before its sender gets a response.
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

    func disconnect() {
        guard parent == nil, let subscription = journal.subscription else { return }
        runner.events?.unsubscribe(subscription)
        journal.subscription = nil
    }
}

extension Workflow {
    fileprivate var listens: Bool { allTasks.contains { if case .listen = $0.action { true } else { false } } }
}
