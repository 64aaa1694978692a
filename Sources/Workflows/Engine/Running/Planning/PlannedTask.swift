/// A task as a run would perform it, with all its steps.
public struct PlannedTask: Sendable {
    /// How a task ends, as far as it is known before the run.
    public enum Outcome: Sendable {
        /// It is performed.
        case performed
        /// It is skipped, because its condition does not hold.
        case skipped
        /// It ends with an error.
        case faulted(WorkflowError)
        /// It depends on a value that is only known at run time, for a reason.
        case unknown(String)
    }

    /// How often a `try` is retried by its retry policy.
    public struct Retry: Sendable {
        /// The maximum number of attempts, including the first; nil for unlimited.
        public var attempts: Int?
        /// The longest waits between the attempts, at most ten.
        public var waits: [Duration]
        /// The longest total of all waits; nil for unlimited.
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
    package var kind: Workflow.Action.Kind
    /// The function, workflow or case that the task calls, runs or takes; nil for other tasks.
    public var subject: String?
    /// Whether it is certain to be performed.
    package var certainty: PlannedCertainty
    /// How it ends.
    public var outcome = Outcome.performed
    /// Its own requests and programs in order, without those of its inner tasks.
    public var steps: [PlannedStep] = []
    /// How long it waits; nil for other tasks, or if that is only known at run time.
    public var wait: Duration?
    /// The time limit; nil if there is none or it is only known at run time.
    public var timeout: Duration?
    /// How often it is retried; nil if it is not.
    public var retry: Retry?
    /// The number of concurrent items; nil for other tasks, or if that is only known at run time.
    package var concurrency: Int?
    /// Whether it continues after one of its items has failed.
    var collectsFailures = false
    /// Its inner tasks, and the tasks that depend on its decision.
    package var branches: [PlannedBranch] = []
    /// The output; nil if there is none.
    public var output: Value?
    /// The path of the repetitions around it, with `*` for numbers that only a run knows; see ``Event/occurrence``.
    package var occurrence = ""
    package var isAwaited = true
    package var input: Value?
    package var context: Value?
    package var locals: [String: Value] = [:]
    /// The result of its action, before `output.as`.
    package var rawOutput: Value?
    var markedOutput: Value?

    /// This task and all tasks inside it, in order.
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
    init(_ task: Workflow.Task, _ certainty: PlannedCertainty) {
        reference = task.reference
        name = task.name
        kind = task.action.kind
        self.certainty = certainty
        timeout = task.timeout?.known
        switch task.action {
        case .call(let call):
            subject = task.action.workflow.map { "\(call.function) \($0.description)" } ?? call.function
        case .run(let process):
            isAwaited = process.isAwaited
            if case .workflow(let workflow, _) = process.kind { subject = workflow.description }
        case .wait(let duration): wait = duration.known
        default: break
        }
    }
}

/// A request or a program of a dry run, which was not sent or started.
public enum PlannedStep: Sendable {
    /// A request that would have been sent.
    case request(PlannedRequest)
    /// A program that would have been started.
    case process(PlannedProcess)
}

extension [PlannedStep] {
    var requests: [PlannedRequest] {
        compactMap { step in
            guard case .request(let request) = step else { return nil }
            return request
        }
    }
}

extension [PlannedTask] {
    /// Numbers the tasks, each after the number of the task around it.
    mutating func number(inside prefix: String = "") {
        for index in indices { self[index].number(as: prefix + String(index + 1)) }
    }
}

extension PlannedTask {
    fileprivate mutating func number(as number: String) {
        self.number = number
        var count = 0
        for branch in branches.indices {
            for task in branches[branch].tasks.indices {
                count += 1
                branches[branch].tasks[task].number(as: "\(number).\(count)")
            }
        }
    }
}
