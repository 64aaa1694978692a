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

    /// The place in another run at which a run takes place.
    public struct Parent: Sendable, Hashable {
        /// The other run's id.
        public var run: String
        /// The task that runs this one.
        public var task: JSONPointer
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
        /// A task's turn has come; what follows is that it begins or is skipped.
        case taskCreated(JSONPointer)
        /// A task began.
        case taskStarted(JSONPointer)
        /// A task's condition did not hold.
        case taskSkipped(JSONPointer)
        /// A task is about to be tried again, with the number of the attempt that comes, from 2.
        case taskRetried(JSONPointer, attempt: Int, delay: Duration, error: WorkflowError)
        /// A task ended with that output, and with a new context where it exported one.
        case taskCompleted(JSONPointer, output: Value, context: Value?)
        /// A task ended with an error.
        case taskFaulted(JSONPointer, WorkflowError)
        /// A task was ended before it was complete.
        case taskCancelled(JSONPointer)
        /// A task left something in the context before it ended.
        case contextExported(JSONPointer, Value)
        /// A task emitted an event.
        case eventEmitted(JSONPointer, CloudEvent)
        /// A task began to wait for events.
        case correlationStarted(JSONPointer)
        /// A task has the events that it waited for, which have those values in common.
        case correlationCompleted(JSONPointer, keys: Object)
        /// A function's work began.
        case callStarted(JSONPointer, Effect)
        /// A function's work ended, well or badly.
        case callEnded(JSONPointer)
        /// Something happened between a request of a task and its answer: a retry, a wait, progress, a draft.
        case request(JSONPointer?, GraphEvent)
    }

    /// Creates an event.
    public init(number: Int, run: String, workflow: Workflow.Metadata, time: Date, kind: Kind, parent: Parent? = nil) {
        self.number = number
        self.run = run
        self.workflow = workflow
        self.time = time
        self.kind = kind
        self.parent = parent
    }

    /// The task that the event is about; nil for events of the whole run.
    public var task: JSONPointer? {
        switch kind {
        case .workflowStarted, .workflowCompleted, .workflowFaulted, .workflowCancelled: nil
        case .taskCreated(let task), .taskStarted(let task), .taskSkipped(let task), .taskRetried(let task, _, _, _),
            .taskCompleted(let task, _, _), .taskFaulted(let task, _), .taskCancelled(let task),
            .contextExported(let task, _), .eventEmitted(let task, _), .correlationStarted(let task),
            .correlationCompleted(let task, _), .callStarted(let task, _), .callEnded(let task):
            task
        case .request(let task, _): task
        }
    }
}
