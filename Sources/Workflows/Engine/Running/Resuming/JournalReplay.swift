import Essentials

/// The state of a run and its inner runs from a journal, ready to be resumed.
struct JournalReplay: Sendable {
    /// A run inside another one.
    struct Inner: Sendable {
        var run: String
        var parent: Event.Parent
        var workflow: Workflow.Process.Reference
        /// The position of the first event that it can listen to.
        var firstEvent: Int
    }

    /// The id of the run.
    let run: String
    /// The states of the run and its inner runs, by their ids.
    private(set) var states: [String: RunState] = [:]
    /// The inner runs at every depth, in the order in which they began.
    private(set) var inner: [Inner] = []
    /// The events that tasks emitted or that came from outside, in order.
    private(set) var published: [CloudEvent] = []
    /// The time of the last event; nil if there is none.
    private(set) var lastTime: Date?

    /// Folds the events of a journal.
    /// - Parameters:
    ///   - run: The id of the run, which may have no events yet.
    init(_ events: [Event], of run: String, as resumption: Event.Resumption = Event.Resumption()) {
        self.run = run
        states[run] = RunState(rememberingEnds: true)
        for event in events.asResumed(of: run, resumption) {
            lastTime = event.time
            states[event.run, default: RunState(rememberingEnds: true)].apply(event)
            switch event.kind {
            case .eventEmitted(_, let event), .eventReceived(let event): published.append(event)
            case .workflowStarted:
                guard let parent = event.parent else { continue }
                let workflow = Workflow.Process.Reference(
                    namespace: event.workflow.namespace, name: event.workflow.name, version: event.workflow.version)
                inner.append(
                    Inner(run: event.run, parent: parent, workflow: workflow, firstEvent: published.count))
            default: break
            }
        }
        // Numbers are never reused, not even those of events that no longer count.
        for event in events { states[event.run]?.skip(to: event.number) }
    }

    /// The last run that a task started.
    func inner(of run: String, at task: TaskExecution) -> Inner? {
        inner.last { $0.parent.run == run && TaskExecution($0.parent.task, $0.parent.occurrence) == task }
    }

    /// The calls that must be made once and have no recorded outcome.
    var unsettled: [(run: String, call: TaskExecution, RunState.Call)] {
        states.sorted { $0.key < $1.key }.flatMap { run, state in
            state.hasEnded
                ? []
                : state.open.compactMap { call in
                    state.frame(of: call)?.call.flatMap { $0.isUnsettled ? (run, call, $0) : nil }
                }
        }
    }
}
