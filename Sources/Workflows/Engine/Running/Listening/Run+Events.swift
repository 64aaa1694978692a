extension Run {
    /// The position of the first event that the run can listen to; an inner run ignores earlier ones.
    var firstEvent: Int {
        guard parent != nil else { return 0 }
        return journal.replay?.inner.last { $0.run == id }?.firstEvent ?? journal.bus.end
    }

    /// Subscribes to outside events if a workflow listens; an event is on disk before its sender gets a response.
    func connect() {
        guard listens, let events = runner.events else { return }
        // Events in the journal may be delivered again if the service ended in between.
        let known = Set((journal.replay?.published ?? []).compactMap { $0.map(EventKey.init) })
        journal.subscription = events.subscribe { [weak self] event in
            guard let self, event.isFor(workflow), known.isEmpty || !known.contains(EventKey(event)) else { return }
            record(.eventReceived(event))
            journal.flush()
        }
    }

    /// Whether the run takes events from outside.
    var listens: Bool { parent == nil && runner.events != nil && workflow.listens(with: library) }

    func disconnect() {
        guard parent == nil, let subscription = journal.subscription else { return }
        runner.events?.unsubscribe(subscription)
        journal.subscription = nil
    }
}

extension Workflow {
    /// Whether the workflow, or one that it runs, has tasks that listen.
    package var listens: Bool { listens(with: WorkflowLibrary(of: self)) }

    /// Whether the workflow itself emits events.
    package var emits: Bool { allTasks.contains { if case .emit = $0.action { true } else { false } } }

    fileprivate func listens(with library: WorkflowLibrary) -> Bool {
        ([self] + library.workflows(reachableFrom: self)).contains { workflow in
            workflow.allTasks.contains { if case .listen = $0.action { true } else { false } }
        }
    }
}
