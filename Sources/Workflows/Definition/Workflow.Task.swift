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

    /// What a task does.
    public indirect enum Action: Sendable {
        /// Calls a function of the catalog.
        case call(Call)
        /// Performs tasks one after the other.
        case `do`([Task])
        /// Raises an error.
        case raise(ErrorDefinition)
        /// Sets the data to a value.
        case set(Template)
        /// Goes on at the first case that matches; without one, at the next task.
        case `switch`([Case])
        /// Performs tasks and handles the errors that they raise.
        case `try`(Try)
        /// Waits.
        case wait(DurationSource)
    }

    /// A call of a function.
    public struct Call: Sendable {
        /// The function as the file names it: `photo`, `photo:1.0.0` or `photo:1.0.0@default`.
        public var function: String
        /// The arguments, with the expressions that are evaluated before the call.
        public var arguments: Template
        /// The arguments as the file has them.
        public var literal: Value
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

    /// Appends this task and every task inside it; lists of their own for each task would cost most of the time.
    func append(to tasks: inout [Workflow.Task]) {
        tasks.append(self)
        switch action {
        case .do(let list): for task in list { task.append(to: &tasks) }
        case .try(let attempt):
            for task in attempt.tasks { task.append(to: &tasks) }
            for task in attempt.catch.tasks ?? [] { task.append(to: &tasks) }
        case .call, .raise, .set, .switch, .wait: break
        }
    }

    /// The lists of tasks directly inside this one.
    public var children: [[Workflow.Task]] {
        switch action {
        case .do(let tasks): [tasks]
        case .try(let attempt): [attempt.tasks, attempt.catch.tasks ?? []]
        case .call, .raise, .set, .switch, .wait: []
        }
    }
}
