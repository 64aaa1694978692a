extension Workflow {
    package struct Task: Sendable {
        /// The task's name, unique in its list.
        package var name: String
        /// The task's place, as errors and events name it: `/do/0/sharePhoto/try/1/upload`.
        package var reference: JSONPointer
        /// The task as the file has it, which expressions read as `$task.definition`.
        package var definition: Value
        /// The condition under which the task is performed; nil for always.
        package var condition: Expression?
        package var input: Input
        package var action: Action
        package var output: Output
        package var export: Export
        package var timeout: DurationSource?
        package var then: FlowDirective
    }

    package struct Call: Sendable {
        /// The function as the file names it: `photo`, `photo:1.0.0` or `photo:1.0.0@default`.
        package var function: String
        /// The arguments, with the expressions that are evaluated before the call; nil if the file has none.
        package var arguments: Template?
        /// Whether null may not become part of a text in its arguments.
        package var demandsTexts = false
        /// The arguments of `call: graph`, with the expressions in its path encoded; nil for every other call.
        package var encodedArguments: Template?
        /// Whether the path of a `call: graph` is a single expression.
        package var isPathComputed = false
        /// The arguments as the file has them; an empty object if it has none.
        package var literal: Value
        package var authentication: Authentication.Reference?
        /// The endpoint of a call of the standard, or of the document that describes it; nil for every other call.
        package var endpoint: Endpoint?
        /// Where the function is, if neither the workflow nor the default catalog has it.
        package var source: FunctionSource?
        /// The tasks inside a `forEach` call; nil for a call of another workflow.
        package var inline: Inline?
        /// What `metadata.effect` of a `call: mcp` says; nil if it says nothing.
        package var declaredEffect: DeclaredEffect?

        /// What the author of a file says about a call whose effect the standard does not define.
        package enum DeclaredEffect: String, Sendable, CaseIterable {
            case read, idempotent, once
            /// What the annotations of the called tool say.
            case annotations
        }

        /// Tasks that run for each item, as their own workflow.
        package struct Inline: Sendable {
            /// Identifies their runs.
            package let reference: Process.Reference
            package let tasks: [Task]
        }
    }

    package struct Case: Sendable {
        package var name: String
        /// The condition; nil for the default case.
        package var condition: Expression?
        package var then: FlowDirective
    }

    package struct Try: Sendable {
        package var tasks: [Task]
        package var `catch`: Catch
    }

    package struct Catch: Sendable {
        /// The filter of errors; nil for any error.
        package var filter: ErrorFilter?
        /// The variable that holds the error, without `$`.
        package var variable: String
        package var when: Expression?
        package var exceptWhen: Expression?
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

    func append(to tasks: inout [Workflow.Task]) {
        tasks.append(self)
        for list in children { for task in list { task.append(to: &tasks) } }
    }

    /// The lists of tasks directly inside this one; each branch of a `fork` is its own list.
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
