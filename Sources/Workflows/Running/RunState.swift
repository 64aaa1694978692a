/// Where a run stands, as the events of the run so far say it.
public struct RunState: Sendable {
    /// The phases of a run, in the standard's words.
    public enum Phase: String, Sendable, Hashable {
        /// Nothing has happened yet.
        case pending
        /// Tasks are being performed.
        case running
        /// Interrupted in order: it can be resumed.
        case suspended
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
    ///
    /// A task that branches perform side by side stands there once for each of them.
    public var active: [JSONPointer] { active(inside: .root) }
    /// The calls of functions with the effect ``Effect/once`` that have begun and not ended.
    public private(set) var unsettled: [JSONPointer] = []

    /// How often each task has begun and not ended; counted, because a `fork` can have thousands of branches.
    private var begun: [JSONPointer: Int] = [:]

    /// Whether the run is over, well or badly.
    public var hasEnded: Bool {
        switch phase {
        case .pending, .running, .suspended: false
        case .cancelled, .faulted, .completed: true
        }
    }

    /// Creates the state of a run that has not begun.
    public init() {}

    /// Whether a task has begun and not ended.
    func isActive(_ task: JSONPointer) -> Bool { begun[task] != nil }

    /// The tasks at work inside another one, and that one itself, each behind those that it is inside of.
    func active(inside place: JSONPointer) -> [JSONPointer] {
        begun.filter { $0.key.tokens.starts(with: place.tokens) }
            .sorted { ($0.key.tokens.count, $0.key.description) < ($1.key.tokens.count, $1.key.description) }
            .flatMap { Array(repeating: $0.key, count: $0.value) }
    }

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
        case .callEnded(let task, _): unsettled.removeAll { $0 == task }
        case .taskStarted(let task, _): begun[task, default: 0] += 1
        case .taskCompleted(let task, _, let context, _):
            end(task)
            if let context { self.context = context }
        case .taskFaulted(let task, _), .taskCancelled(let task): end(task)
        case .iterationCompleted(_, _, _, let context?, _): self.context = context
        case .workflowResumed: phase = .running
        case .workflowSuspended: phase = .suspended
        case .callStarted, .decided, .iterationStarted, .iterationCompleted, .jumped, .eventEmitted, .eventReceived,
            .eventRead, .correlationStarted, .correlationCompleted, .taskCreated, .taskSkipped, .taskRetried, .request:
            break
        }
    }

    private mutating func end(_ task: JSONPointer) {
        guard let count = begun[task] else { return }
        begun[task] = count > 1 ? count - 1 : nil
    }
}
