/// Where a run stands, as the events of the run so far say it.
public struct RunState: Sendable {
    /// The phases of a run, in the standard's words.
    public enum Phase: String, Sendable, Hashable {
        /// Nothing has happened yet.
        case pending
        /// Tasks are being performed.
        case running
        /// Ended by a person or a program before it was complete.
        case cancelled
        /// Ended by an error that nothing caught.
        case faulted
        /// All tasks are done.
        case completed
    }

    /// The phase that the run is in.
    public private(set) var phase = Phase.pending
    /// What the tasks left for later ones, which expressions read as `$context`.
    public private(set) var context: Value = [:]
    /// The tasks that have begun and not ended, each behind those that it is inside of.
    public private(set) var active: [JSONPointer] = []
    /// The calls of functions with the effect ``Effect/once`` that have begun and not ended.
    public private(set) var unsettled: [JSONPointer] = []

    /// Whether the run is over, well or badly.
    public var hasEnded: Bool {
        switch phase {
        case .pending, .running: false
        case .cancelled, .faulted, .completed: true
        }
    }

    /// Creates the state of a run that has not begun.
    public init() {}

    /// Takes note of an event.
    public mutating func apply(_ event: Event) {
        switch event.kind {
        case .workflowStarted(_, let context):
            phase = .running
            self.context = context
        case .workflowCompleted: phase = .completed
        case .workflowFaulted: phase = .faulted
        case .workflowCancelled: phase = .cancelled
        case .callStarted(let task, .once): unsettled.append(task)
        case .callEnded(let task): unsettled.removeAll { $0 == task }
        case .taskStarted(let task): active.append(task)
        case .taskCompleted(let task, _, let context):
            end(task)
            if let context { self.context = context }
        case .taskFaulted(let task, _), .taskCancelled(let task): end(task)
        case .callStarted, .taskSkipped, .taskRetried, .request: break
        }
    }

    private mutating func end(_ task: JSONPointer) {
        if let position = active.lastIndex(of: task) { active.remove(at: position) }
    }
}
