extension Workflow {
    /// An entry of a list of tasks.
    package struct Task: Sendable {
        /// The task's name, unique in its list.
        package var name: String
        /// The task's place, as errors and events name it: `/do/0/sharePhoto/try/1/upload`.
        package var reference: JSONPointer
        /// The task as the file has it, which expressions read as `$task.definition`.
        package var definition: Value
        /// The condition under which the task is performed; nil for always.
        package var condition: Expression?
        /// How the input is checked and transformed before the task.
        package var input: Input
        /// What the task does.
        package var action: Action
        /// How the output is transformed and checked.
        package var output: Output
        /// What the task exports to the context.
        package var export: Export
        /// How long the task may take; nil for no limit.
        package var timeout: DurationSource?
        /// Where the workflow continues after the task.
        package var then: FlowDirective
    }

    /// A call of a function.
    package struct Call: Sendable {
        /// The function as the file names it: `photo`, `photo:1.0.0` or `photo:1.0.0@default`.
        package var function: String
        /// The arguments, with the expressions that are evaluated before the call; nil if the file has none.
        package var arguments: Template?
        /// Whether null is no part of a text in its arguments.
        package var demandsTexts = false
        /// The same for `call: graph`, with the expressions in its path encoded; nil for every other call.
        package var encodedArguments: Template?
        /// Whether the path of a `call: graph` is one expression as a whole.
        package var isPathComputed = false
        /// The arguments as the file has them; an empty object if it has none.
        package var literal: Value
        /// How the call authenticates; nil if it does not say.
        package var authentication: Authentication.Reference?
        /// The endpoint of a call of the standard, or of the document that describes it; nil for every other call.
        package var endpoint: Endpoint?
        /// Where the function is, if neither the workflow nor the default catalog has it.
        package var source: FunctionSource?
        /// The tasks of a `forEach` that stand in the call itself; nil for one of another workflow.
        package var inline: Inline?

        /// Tasks that run for each item, as their own workflow.
        package struct Inline: Sendable {
            /// By what their runs are known.
            package let reference: Process.Reference
            package let tasks: [Task]
        }
    }

    /// One way out of a `switch`.
    package struct Case: Sendable {
        /// The case's name.
        package var name: String
        /// The condition; nil for the default case.
        package var condition: Expression?
        /// Where the workflow continues.
        package var then: FlowDirective
    }

    /// Tasks and the handling of their errors.
    package struct Try: Sendable {
        /// The tasks that may raise an error.
        package var tasks: [Task]
        /// Which errors are caught, and what is done then.
        package var `catch`: Catch
    }

    /// Which errors a `try` catches, and what it does then.
    package struct Catch: Sendable {
        /// The filter of errors; nil for any error.
        package var filter: ErrorFilter?
        /// The variable that holds the error, without `$`.
        package var variable: String
        /// The condition under which an error is caught.
        package var when: Expression?
        /// The condition under which an error is not caught.
        package var exceptWhen: Expression?
        /// How often and when the tasks are tried again.
        package var retry: RetryPolicy?
        /// The tasks for an error that is not retried any further; nil if there are none.
        package var tasks: [Task]?
        /// Where the workflow continues after an error was handled; nil for the task's own `then`.
        package var then: FlowDirective?
    }
}

extension Workflow.Task {
    /// This task and every task inside it, in the order of the file.
    package var withDescendants: [Workflow.Task] {
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
    package var children: [[Workflow.Task]] {
        switch action {
        case .do(let tasks): [tasks]
        case .for(let loop): [loop.tasks]
        case .fork(let fork): fork.branches.map { [$0] }
        case .listen(let listen): listen.iterator.map { [$0.tasks] } ?? []
        case .try(let attempt): [attempt.tasks, attempt.catch.tasks ?? []]
        case .call(let call): call.inline.map { [$0.tasks] } ?? []
        case .emit, .raise, .run, .set, .switch, .wait: []
        }
    }
}
