public import Foundation

/// Something that happened in a run: the only thing that leaves one while it goes on.
public struct Event: Sendable {
    /// The event's place in its run, from 1.
    public var number: Int
    /// The run's id.
    public var run: String
    /// The workflow that is run.
    public var workflow: Workflow.Metadata
    /// When it happened.
    public var time: Date
    /// What happened.
    public var kind: Kind
    /// The run that this one is inside of; nil for one that was started by itself.
    public var parent: Parent?
    /// Which performance of its task the event is about, where that can be performed more than once in a run: the path of
    /// the repetitions around it, such as `for:3/try:2`; empty for every other task.
    ///
    /// The run, the task and this name one execution of the task. The parts are `for:ROUND` and `foreach:ROUND` from 0,
    /// `try:ATTEMPT` from 1, `jump:COUNT` from 0 in a list in which a directive leads to a task by its name, and
    /// `call:TASK` and `extend:TASK` for what a function or an extension performs for a task, with `~0` and `~1` for the
    /// tildes and slashes of its reference.
    public var occurrence: String

    /// The place in another run at which a run takes place.
    public struct Parent: Sendable, Hashable {
        /// The other run's id.
        public var run: String
        /// The task that runs this one.
        public var task: JSONPointer
        /// Which performance of the task it is; see ``Event/occurrence``.
        public var occurrence = ""
    }

    /// The kinds of events, with what each tells.
    public enum Kind: Sendable {
        /// A run began, with that input and that context.
        case workflowStarted(input: Value, context: Value)
        /// A run ended with that output.
        case workflowCompleted(output: Value)
        /// A run ended with an error that nothing caught.
        case workflowFaulted(WorkflowError)
        /// A run was ended before it was complete.
        case workflowCancelled
        /// A run was interrupted in order, so that it can be resumed.
        case workflowSuspended
        /// A run goes on from what its journal says.
        case workflowResumed(Resumption)
        /// A task's turn has come; what follows is that it begins or is skipped.
        case taskCreated(JSONPointer)
        /// A task began, with that input where the file transforms what comes to it.
        case taskStarted(JSONPointer, input: Value?)
        /// A task's condition did not hold.
        case taskSkipped(JSONPointer)
        /// A task is about to be tried again, with the number of the attempt that comes, from 2.
        case taskRetried(JSONPointer, attempt: Int, delay: Duration, error: WorkflowError)
        /// A task ended with that output, with a new context where it exported one, and with the place to go on at.
        case taskCompleted(JSONPointer, output: Value, context: Value?, then: FlowDirective)
        /// A task ended with an error.
        case taskFaulted(JSONPointer, WorkflowError)
        /// A task was ended before it was complete.
        case taskCancelled(JSONPointer)
        /// A task found out something that is not to be found out again when the run is resumed, such as the collection
        /// of a `for` (`in`), the length of a `wait`, or the error that a `catch` handles.
        case decided(JSONPointer, what: String, value: Value)
        /// A round of a `for` begins, with the number of the round from 0 and the data that it begins with.
        case iterationStarted(JSONPointer, round: Int, data: Value)
        /// The tasks of a `listen` for one event are done, with what stands for the event in the output, with a new
        /// context where they exported one, and with whether it was the last event.
        case iterationCompleted(JSONPointer, round: Int, output: Value, context: Value?, isLast: Bool)
        /// A directive leads to a task by its name, with how many times that happened in the list, and with the data.
        case jumped(JSONPointer, count: Int, data: Value)
        /// A task emitted an event.
        case eventEmitted(JSONPointer, CloudEvent)
        /// An event came from outside to a workflow that listens.
        case eventReceived(CloudEvent)
        /// A task that listens took an event, by its place among those that the run emitted and received, from 0.
        case eventRead(JSONPointer, position: Int)
        /// A task began to wait for events.
        case correlationStarted(JSONPointer)
        /// A task has the events that it waited for, which have those values in common.
        case correlationCompleted(JSONPointer, keys: Object)
        /// A function's work began.
        case callStarted(JSONPointer, Effect)
        /// A function's work ended; how it did is told of work that must be done once.
        case callEnded(JSONPointer, CallEnd?)
        /// Something happened between a request of a task and its answer: a retry, a wait, progress, a draft.
        case request(JSONPointer?, GraphEvent)
    }

    /// How a function's work ended.
    public enum CallEnd: Sendable {
        /// With that result.
        case completed(Value)
        /// With that error.
        case failed(WorkflowError)
    }

    /// How a run is resumed.
    public struct Resumption: Sendable, Hashable {
        /// The hash of the workflow file as it is now, where that was changed and the change accepted.
        public var digest: String?
        /// The tasks that are performed anew because the file was changed, with all that is inside them and behind them
        /// in their lists.
        public var anew: [JSONPointer]

        /// Creates a resumption.
        public init(digest: String? = nil, anew: [JSONPointer] = []) {
            self.digest = digest
            self.anew = anew
        }
    }

    /// Creates an event.
    public init(
        number: Int, run: String, workflow: Workflow.Metadata, time: Date, kind: Kind, parent: Parent? = nil,
        occurrence: String = ""
    ) {
        self.number = number
        self.run = run
        self.workflow = workflow
        self.time = time
        self.kind = kind
        self.parent = parent
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
            .taskCancelled(let task), .decided(let task, _, _), .iterationStarted(let task, _, _),
            .iterationCompleted(let task, _, _, _, _), .jumped(let task, _, _), .eventEmitted(let task, _),
            .eventRead(let task, _), .correlationStarted(let task), .correlationCompleted(let task, _),
            .callStarted(let task, _), .callEnded(let task, _):
            task
        case .request(let task, _): task
        }
    }

    /// What the event is about; nil for events of the whole run.
    package var execution: TaskExecution? { task.map { TaskExecution($0, occurrence) } }
}
