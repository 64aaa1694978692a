/// Something that happened in a run, and the only output of a run before its end.
public struct Event: Sendable {
    /// What a decision of people is called.
    package static let approval = "approval"

    /// The event's place in its run, from 1.
    public var number: Int
    /// When it happened.
    public var time: Date
    /// What happened.
    public var kind: Kind
    private(set) var source: Source
    /// The path of the repetitions around the task, such as `for:3/try:2`; empty if the task runs at most once.
    ///
    /// The run, the task and the occurrence identify one execution of the task. The path has these parts:
    /// - `for:ROUND` and `foreach:ROUND`, from 0
    /// - `try:ATTEMPT`, from 1
    /// - `jump:COUNT`, from 0, in a list in which a directive names a task
    /// - `call:TASK` and `extend:TASK` for tasks that a function or an extension performs for a task; in its reference,
    ///   tildes and slashes are `~0` and `~1`
    public var occurrence: String
    /// The secrets in an event of a journal, whose data have drawings instead; nil without any.
    package var seals: [Seal]?

    /// What names the event among those of all runs.
    package var id: String { Self.id(number, of: run) }

    package static func id(_ number: Int, of run: String) -> String { "\(run)-\(number)" }

    /// The run's id.
    public var run: String {
        get { source.run }
        set { source = Source(newValue, workflow, parent) }
    }
    /// The workflow of the run.
    public var workflow: Workflow.Metadata {
        get { source.workflow }
        set { source = Source(run, newValue, parent) }
    }
    /// The place in another run at which this run takes place; nil for an outermost run.
    public var parent: Parent? {
        get { source.parent }
        set { source = Source(run, workflow, newValue) }
    }

    /// What all events of a run have in common; an object, because events are copied often.
    package final class Source: Sendable {
        let run: String
        let workflow: Workflow.Metadata
        let parent: Parent?

        package init(_ run: String, _ workflow: Workflow.Metadata, _ parent: Parent?) {
            self.run = run
            self.workflow = workflow
            self.parent = parent
        }
    }

    /// One execution of a task of a run, such as the one that contains another run.
    public struct Parent: Sendable, Hashable {
        /// The other run's id.
        public var run: String
        /// The task that runs this one.
        public var task: JSONPointer
        /// Which execution of the task it is; see ``Event/occurrence``.
        public var occurrence = ""

        package init(run: String, task: JSONPointer, occurrence: String = "") {
            (self.run, self.task, self.occurrence) = (run, task, occurrence)
        }
    }

    /// The kinds of events with their data.
    ///
    /// Indirect, because each event is copied for the journal, the state and each recorder.
    public indirect enum Kind: Sendable {
        /// A run began with an input and a context.
        case workflowStarted(input: Value, context: Value)
        /// A run ended with an output.
        case workflowCompleted(output: Value)
        /// A run ended with an uncaught error.
        case workflowFaulted(WorkflowError)
        /// A run was cancelled.
        case workflowCancelled
        /// A run was suspended and can be resumed.
        case workflowSuspended
        /// A run was resumed from its journal.
        case workflowResumed(Resumption)
        /// A task is next; it then starts or is skipped.
        case taskCreated(JSONPointer)
        /// A task started, with its input if the workflow transforms it.
        case taskStarted(JSONPointer, input: Value?)
        /// A task was skipped because its condition was false.
        case taskSkipped(JSONPointer)
        /// A task is retried, with the number of the next attempt, from 2.
        case taskRetried(JSONPointer, attempt: Int, delay: Duration, error: WorkflowError)
        /// A task ended with an output, a new context if it exported one, and the directive that follows.
        case taskCompleted(JSONPointer, output: Value, context: Value?, then: FlowDirective)
        /// A task ended with an error.
        case taskFaulted(JSONPointer, WorkflowError)
        /// A task was cancelled.
        case taskCancelled(JSONPointer)
        /// An unfinished task was suspended with its run.
        case taskSuspended(JSONPointer)
        /// An unfinished task continues with its run.
        case taskResumed(JSONPointer)
        /// A task determined a value that a resumed run reuses.
        ///
        /// Examples: the collection of a `for` (`in`), the length of a `wait`, or the error that a `catch` handles.
        case decided(JSONPointer, what: String, value: Value)
        /// A round of a `for` begins, with its number from 0 and its initial data.
        case iterationStarted(JSONPointer, round: Int, data: Value)
        /// The tasks of a `listen` for one event are done.
        ///
        /// It has the event's part of the output, a new context if they exported one, and whether it was the last
        /// event.
        case iterationCompleted(JSONPointer, round: Int, output: Value, context: Value?, isLast: Bool)
        /// A directive leads to a named task, with the number of such jumps in the list and the data.
        case jumped(JSONPointer, count: Int, data: Value)
        /// A task emitted an event.
        case eventEmitted(JSONPointer, CloudEvent)
        /// A listening workflow received an event from outside.
        case eventReceived(CloudEvent)
        /// A listening task read an event, by its position from 0 among those that the run emitted and received.
        case eventRead(JSONPointer, position: Int)
        /// A task started to wait for events.
        case correlationStarted(JSONPointer)
        /// A task has the events that it waited for, with the values they have in common.
        case correlationCompleted(JSONPointer, keys: Object)
        /// A function call started.
        case callStarted(JSONPointer, Idempotency)
        /// A function call ended; its end is recorded for calls that must happen once.
        case callEnded(JSONPointer, CallEnd?)
        /// Something happened between a request of a task and its answer: a retry, a wait, progress, a draft.
        case request(JSONPointer?, GraphEvent)
    }

    /// How a function call ended.
    public enum CallEnd: Sendable {
        /// With a result.
        case completed(Value)
        /// With an error.
        case failed(WorkflowError)
    }

    /// How a run is resumed, and what is performed again.
    public struct Resumption: Sendable, Hashable {
        /// The hash of the changed workflow file, if the change was accepted.
        public var digest: String?
        /// The changed places of the file: their tasks are performed again, and all after them.
        public var anew: [JSONPointer]
        /// The execution from which the run is performed again; nil to continue where it ended.
        public var from: Parent?
        /// The hash of the blob with the plan for the rest of the run; nil to keep the run's plan.
        public var plan: String?
        /// The approvals of that plan, as they were checked.
        package var approvals: [Value] = []

        /// Creates a resumption.
        public init(
            digest: String? = nil, anew: [JSONPointer] = [], from: Parent? = nil, plan: String? = nil
        ) {
            self.digest = digest
            self.anew = anew
            self.from = from
            self.plan = plan
        }
    }

    /// Creates an event.
    public init(
        number: Int, run: String, workflow: Workflow.Metadata, time: Date, kind: Kind, parent: Parent? = nil,
        occurrence: String = ""
    ) {
        self.init(
            number: number, of: Source(run, workflow, parent), time: time, kind: kind, occurrence: occurrence)
    }

    package init(number: Int, of source: Source, time: Date, kind: Kind, occurrence: String) {
        self.number = number
        self.source = source
        self.time = time
        self.kind = kind
        self.occurrence = occurrence
    }

    /// The task that the event is about; nil for events of the whole run.
    public var task: JSONPointer? {
        switch kind {
        case .workflowStarted, .workflowCompleted, .workflowFaulted, .workflowCancelled, .workflowSuspended,
            .workflowResumed, .eventReceived:
            nil
        case .taskCreated(let task), .taskStarted(let task, _), .taskSkipped(let task),
            .taskRetried(let task, _, _, _), .taskCompleted(let task, _, _, _), .taskFaulted(let task, _),
            .taskCancelled(let task), .taskSuspended(let task), .taskResumed(let task), .decided(let task, _, _),
            .iterationStarted(let task, _, _),
            .iterationCompleted(let task, _, _, _, _), .jumped(let task, _, _), .eventEmitted(let task, _),
            .eventRead(let task, _), .correlationStarted(let task), .correlationCompleted(let task, _),
            .callStarted(let task, _), .callEnded(let task, _):
            task
        case .request(let task, _): task
        }
    }

    /// What people approved or rejected, as it records it.
    package var decisions: [Value] {
        switch kind {
        case .workflowResumed(let resumption): resumption.approvals
        case .decided(_, Self.approval, let value): [value]
        default: []
        }
    }

    package var execution: TaskExecution? { task.map { TaskExecution($0, occurrence) } }
}
