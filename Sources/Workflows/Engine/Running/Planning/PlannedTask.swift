/// A task as a run would perform it, with all that it would do.
public struct PlannedTask: Sendable {
    /// What becomes of a task, as far as it is known before the run.
    public enum Outcome: Sendable {
        /// It is performed.
        case performed
        /// Its condition does not hold, and it is passed by.
        case skipped
        /// It ends with an error.
        case faulted(WorkflowError)
        /// What it does depends on what is known only when the workflow runs, for that reason.
        case unknown(String)
    }

    /// How often a `try` begins again, as its retry policy has it.
    public struct Retry: Sendable {
        /// How often the tasks are performed at most, with the first time; nil for without end.
        public var attempts: Int?
        /// The longest waits between the attempts, as many as are worth showing.
        public var waits: [Duration]
        /// How long all waits take together at most; nil for without end.
        public var longestWait: Duration?
        /// The policy in words.
        public var words: String
    }

    /// The place in the plan: `1`, `2`, `2.1`.
    public internal(set) var number = ""
    /// The place in the file.
    public var reference: JSONPointer
    /// The name.
    public var name: String
    /// What it does.
    public var kind: Workflow.Action.Kind
    /// The function that is called, the workflow that is run or the case that is taken; nil for other tasks.
    public var subject: String?
    /// Whether it is performed for certain.
    public var certainty: PlannedCertainty
    /// What becomes of it.
    public var outcome = Outcome.performed
    /// What it does to the world by itself, in order; what tasks inside it do is theirs.
    public var steps: [PlannedStep] = []
    /// How long it waits; nil for other tasks, and where that is known only when the workflow runs.
    public var wait: Duration?
    /// How long it may take; nil where the file gives no limit that is known.
    public var timeout: Duration?
    /// How often it begins again; nil where it does not.
    public var retry: Retry?
    /// The tasks inside it, and those that hang on what it decides.
    public var branches: [PlannedBranch] = []
    /// The output; nil where the task gives none.
    public var output: Value?
}

extension PlannedTask {
    /// This task and every task inside it, in order.
    public var withDescendants: [PlannedTask] {
        var all: [PlannedTask] = []
        append(to: &all)
        return all
    }

    private func append(to all: inout [PlannedTask]) {
        all.append(self)
        for branch in branches { for task in branch.tasks { task.append(to: &all) } }
    }
}

extension PlannedTask {
    /// Describes a task that begins.
    init(_ task: Workflow.Task, _ certainty: PlannedCertainty) {
        reference = task.reference
        name = task.name
        kind = task.action.kind
        self.certainty = certainty
        timeout = task.timeout?.known
        switch task.action {
        case .call(let call): subject = call.function
        case .run(let process):
            if case .workflow(let workflow, _) = process.kind { subject = workflow.description }
        case .wait(let duration): wait = duration.known
        default: break
        }
    }
}
