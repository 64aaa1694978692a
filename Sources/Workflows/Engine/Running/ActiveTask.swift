struct ActiveTask: Sendable {
    let descriptor: TaskDescriptor
    let input: Value
    private(set) var scope: Scope

    var definition: Workflow.Task { descriptor.task }
    var name: String { descriptor.task.name }
    var reference: JSONPointer { descriptor.task.reference }
    var then: FlowDirective { descriptor.task.then }
    /// The path of the repetitions around it; see ``Event/occurrence``.
    var occurrence: String { descriptor.occurrence }
    var execution: TaskExecution { descriptor.execution }

    init(_ descriptor: TaskDescriptor, input: Value, scope: Scope) {
        self.descriptor = descriptor
        self.input = input
        self.scope = scope
    }

    /// Whether anything that its expressions can read is unknown.
    var readsUnknown: Bool {
        input.holdsUnknown || scope.context.holdsUnknown || scope.locals.contains { $0.value.holdsUnknown }
    }

    func inside(_ scope: Scope) -> ActiveTask { ActiveTask(descriptor, input: input, scope: scope) }

    func with(context: Value) -> ActiveTask { inside(scope.with(context: context)) }

    /// The task for the tasks of its `catch`, which can read the error.
    func failed(with error: Value, as variable: String) -> ActiveTask {
        var task = defining(variable, as: error)
        task.scope.handled = execution
        return task
    }

    /// The task with another name that its expressions and those of its inner tasks can read.
    func defining(_ name: String, as value: Value) -> ActiveTask {
        var task = self
        task.scope.update { $0.locals[name] = value }
        return task
    }
}

/// What expressions can read about their task; an object, because the many scopes inside a task share it.
final class TaskDescriptor: Sendable {
    let task: Workflow.Task
    /// The path of the repetitions around the task; see ``Event/occurrence``.
    let occurrence: String
    let rawInput: Value
    let startedAt: Date
    let rawOutput: Value?
    /// When it starts in a plan; nil in a run.
    let planned: PlannedMoment?

    init(
        _ task: Workflow.Task, _ occurrence: String, rawInput: Value, startedAt: Date, rawOutput: Value? = nil,
        planned: PlannedMoment? = nil
    ) {
        self.task = task
        self.occurrence = occurrence
        self.rawInput = rawInput
        self.startedAt = startedAt
        self.rawOutput = rawOutput
        self.planned = planned
    }

    init(_ other: TaskDescriptor, rawOutput: Value) {
        task = other.task
        occurrence = other.occurrence
        rawInput = other.rawInput
        startedAt = other.startedAt
        planned = other.planned
        self.rawOutput = rawOutput
    }

    var execution: TaskExecution { TaskExecution(task.reference, occurrence) }

    var value: Value {
        [
            "name": .string(task.name), "reference": .string(task.reference.description), "definition": task.definition,
            "input": rawInput, "output": rawOutput ?? .null,
            "startedAt": planned?.value ?? startedAt.descriptor,
        ]
    }

    /// The descriptor with the definition's members, as the standard's examples of extensions read them: `$task.call`.
    var valueWithDefinition: Value {
        guard var members = task.definition.object, let own = value.object else { return value }
        for (name, member) in own { members[name] = member }
        return .object(members)
    }
}

extension Date {
    /// The moment in the standard's form for expressions.
    var descriptor: Value {
        [
            "iso8601": .string(iso8601),
            "epoch": [
                "seconds": .integer(Int(timeIntervalSince1970)),
                "milliseconds": .integer(Int(timeIntervalSince1970 * 1_000)),
            ],
        ]
    }
}

final class PlannedMoment: Sendable {
    /// The unknowns in the standard's form for expressions.
    let value: Value

    init() {
        value = [
            "iso8601": .unknown(Unknown("task.startedAt", .text)),
            "epoch": [
                "seconds": .unknown(Unknown("task.startedAt.seconds", .number)),
                "milliseconds": .unknown(Unknown("task.startedAt.milliseconds", .number)),
            ],
        ]
    }
}
