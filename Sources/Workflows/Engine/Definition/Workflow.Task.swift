extension Workflow {
    /// An entry of a list of tasks.
    public struct Task: Sendable {
        /// The task's name, unique in its list.
        public var name: String
        /// Where the task stands, as errors and events name it: `/do/0/sharePhoto/try/1/upload`.
        public var reference: JSONPointer
        /// The task as the file has it, which expressions read as `$task.definition`.
        public var definition: Value
        /// The condition without which the task is skipped.
        public var condition: Expression?
        /// How the input is checked and transformed before the task.
        public var input: Input
        /// What the task does.
        public var action: Action
        /// How the output is transformed and checked.
        public var output: Output
        /// What the task leaves in the context.
        public var export: Export
        /// How long the task may take; nil for as long as it needs.
        public var timeout: DurationSource?
        /// Where the workflow goes on after the task.
        public var then: FlowDirective
    }

    /// A call of a function.
    public struct Call: Sendable {
        /// The function as the file names it: `photo`, `photo:1.0.0` or `photo:1.0.0@default`.
        public var function: String
        /// The arguments, with the expressions that are evaluated before the call; nil where the file gives none.
        public var arguments: Template?
        /// The arguments as the file has them; an empty object where it gives none.
        public var literal: Value
        /// How the call proves who asks, where it says so.
        public var authentication: Authentication.Reference?
        /// Where a call of the standard goes, or where the document is that describes it; nil for every other call.
        public var endpoint: Endpoint?
    }

    /// One way out of a `switch`.
    public struct Case: Sendable {
        /// The case's name.
        public var name: String
        /// The condition; nil for the case that is taken where no other matches.
        public var condition: Expression?
        /// Where the workflow goes on.
        public var then: FlowDirective
    }

    /// Tasks and what is done with the errors that they raise.
    public struct Try: Sendable {
        /// The tasks that may raise an error.
        public var tasks: [Task]
        /// Which errors are caught, and what is done then.
        public var `catch`: Catch
    }

    /// Which errors a `try` catches, and what it does then.
    public struct Catch: Sendable {
        /// What an error must be like; nil for any.
        public var filter: ErrorFilter?
        /// The name under which expressions see the error, without `$`.
        public var variable: String
        /// The condition under which an error is caught.
        public var when: Expression?
        /// The condition under which an error is not caught.
        public var exceptWhen: Expression?
        /// How often and when the tasks are tried again.
        public var retry: RetryPolicy?
        /// The tasks for an error that no further attempt is made for; nil where there are none.
        public var tasks: [Task]?
    }
}

extension Workflow.Task {
    /// This task and every task inside it, in the order of the file.
    public var withDescendants: [Workflow.Task] {
        var tasks: [Workflow.Task] = []
        append(to: &tasks)
        return tasks
    }

    /// Appends this task and every task inside it.
    func append(to tasks: inout [Workflow.Task]) {
        tasks.append(self)
        for list in children { for task in list { task.append(to: &tasks) } }
    }

    /// The lists of tasks directly inside this one; each branch of a `fork` is a list of its own.
    public var children: [[Workflow.Task]] {
        switch action {
        case .do(let tasks): [tasks]
        case .for(let loop): [loop.tasks]
        case .fork(let fork): fork.branches.map { [$0] }
        case .listen(let listen): listen.iterator.map { [$0.tasks] } ?? []
        case .try(let attempt): [attempt.tasks, attempt.catch.tasks ?? []]
        case .call, .emit, .raise, .run, .set, .switch, .wait: []
        }
    }
}
