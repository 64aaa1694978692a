/// The state of a run and its inner runs from a journal, ready to be resumed.
struct JournalReplay: Sendable {
    struct Inner: Sendable {
        var run: String
        var parent: Event.Parent
        var workflow: Workflow.Process.Reference
        /// The position of the first event that it can listen to.
        var firstEvent: Int
    }

    let run: String
    /// The states of the run and its inner runs, by their ids.
    private(set) var states: [String: RunState] = [:]
    /// The inner runs at every depth, in the order in which they began.
    private(set) var inner: [Inner] = []
    /// The position of the last inner run of each place: a `forEach` looks up one for every item.
    private var places: [Event.Parent: Int] = [:]
    /// The emitted events and those from outside, in order; nil for an event of a task that is performed again.
    private(set) var published: [CloudEvent?] = []
    private(set) var lastTime: Date?
    /// What the run and its inner runs did before, also in tasks that are performed again.
    private(set) var effects = EffectEvents()

    /// Folds the events of a journal for a run, which may have none yet.
    init(_ events: [Event], of run: String, as resumption: Event.Resumption, at time: Date) {
        self.run = run
        states[run] = RunState(remembering: .ends)
        let counting = events.counting(of: run, resumedAs: resumption)
        for (event, counts) in zip(events, counting) {
            effects.take(event)
            if counts { apply(event) } else if case .eventEmitted = event.kind { published.append(nil) }
            // Numbers are never reused, not even those of events that no longer count.
            states[event.run]?.skip(to: event.number)
        }
        lastTime = events.last?.time
        if let last = events.last {
            apply(Event(number: 0, run: run, workflow: last.workflow, time: time, kind: .workflowResumed(resumption)))
        }
    }

    private mutating func apply(_ event: Event) {
        let before = states[event.run]?.phase
        states[event.run, default: RunState(remembering: .ends)].apply(event)
        switch event.kind {
        case .eventEmitted(_, let event), .eventReceived(let event): published.append(event)
        case .workflowStarted:
            guard let parent = event.parent else { return }
            places[parent] = inner.count
            inner.append(
                Inner(run: event.run, parent: parent, workflow: event.workflow.reference, firstEvent: published.count))
        case .workflowCompleted where event.run != run: states[event.run]?.forgetTasks()
        case .workflowResumed(let resumption):
            guard before == .faulted || before == .cancelled || resumption.from != nil else { return }
            reopenInner(at: event.time)
        default: break
        }
    }

    /// Undoes the failures of inner runs that failed their tasks, and the interruption of others.
    private mutating func reopenInner(at time: Date) {
        for inner in inner {
            guard let state = states[inner.run], state.phase != .completed else { continue }
            let place = TaskExecution(inner.parent.task, inner.parent.occurrence)
            let frame = states[inner.parent.run]?.frame(of: place.aroundItem ?? place)
            // A `forEach` that continues after failures has handled the failure.
            if state.phase == .faulted, frame?.decisions[Workflow.Call.forEach]?["onFailure"]?.string == "continue" {
                continue
            }
            let isOpen = frame.map { $0.end == nil } ?? false
            if isOpen || state.phase == .cancelled { states[inner.run]?.reopen(at: time) }
        }
    }

    func inner(of run: String, at task: TaskExecution) -> Inner? {
        places[Event.Parent(run: run, task: task.task, occurrence: task.occurrence)].map { inner[$0] }
    }

    /// Records that no call is pending: the user has said what happened.
    mutating func settle() { for run in states.keys { states[run]?.settle() } }

    /// The calls in a place, and in its inner runs, that must be made once and have no recorded outcome.
    ///
    /// Interrupted calls are included; calls of an inner run have its workflow.
    func unsettledCalls(
        of run: String, inside place: TaskExecution
    ) -> [(task: JSONPointer, inner: Workflow.Process.Reference?)] {
        guard let state = states[run] else { return [] }
        let executions = Set(state.descendants(of: place))
        let own = executions.filter { state.frame(of: $0)?.leftCall ?? false }.sorted { $0.order < $1.order }
        return own.map { ($0.task, nil) }
            + inner.filter { inner in
                inner.parent.run == run
                    && executions.contains(TaskExecution(inner.parent.task, inner.parent.occurrence))
            }.flatMap { inner in
                unsettledCalls(of: inner.run, inside: .run).map { ($0.task, $0.inner ?? inner.workflow) }
            }
    }

    /// The calls that must be made once and have no recorded outcome.
    var unsettled: [(run: String, call: TaskExecution, RunState.Call)] {
        states.sorted { $0.key < $1.key }.flatMap { run, state in
            state.hasEnded ? [] : state.unsettledCalls.map { (run, $0.task, $0.call) }
        }
    }
}
