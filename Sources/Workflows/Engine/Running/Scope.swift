import Foundation

/// What the expressions at one place of a workflow can read.
///
/// Scopes are copied for every task, so the data that most places share is behind one reference.
struct Scope: Sendable {
    private var surroundings: Surroundings
    /// The names that tasks around this place define, such as the error that a `try` caught.
    var locals: [String: Value] = [:]
    /// The task that the place belongs to; nil for the workflow's own places.
    var task: TaskDescriptor?
    /// The path of the repetitions around the place; see ``Event/occurrence``.
    var occurrence = ""
    /// The transformed input, once there is one.
    var input: Value?
    /// The transformed output, once there is one.
    var output: Value?
    /// The `$authorization` of the task's call, if it has one.
    var authorization: Value?

    /// Data that is the same in most of a run.
    private final class Surroundings: Sendable {
        struct Fields {
            let run: Run
            let workflowInput: Value
            var reader: EventReader
            var extended: TaskDescriptor?
            var depth = 0
        }

        let fields: Fields

        init(_ fields: Fields) { self.fields = fields }
    }

    private var shared: Surroundings.Fields {
        get { surroundings.fields }
        set { surroundings = Surroundings(newValue) }
    }

    /// Creates the scope of a workflow's own places.
    /// - Parameters:
    ///   - workflowInput: The workflow's input before its transformation.
    init(run: Run, workflowInput: Value, reader: EventReader) {
        surroundings = Surroundings(.init(run: run, workflowInput: workflowInput, reader: reader))
    }

    /// The events that this branch of the run has read.
    var reader: EventReader {
        get { surroundings.fields.reader }
        set { shared.reader = newValue }
    }

    /// The extended task if the place belongs to an extension, where `$task` is that task.
    var extended: TaskDescriptor? {
        get { surroundings.fields.extended }
        set { shared.extended = newValue }
    }

    /// The number of the workflow's functions around the place.
    var depth: Int {
        get { surroundings.fields.depth }
        set { shared.depth = newValue }
    }

    /// The execution of the task that the place is directly inside.
    var owner: TaskExecution { task?.execution ?? .run }

    /// The execution of a task at this place.
    func execution(of task: Workflow.Task) -> TaskExecution { TaskExecution(task.reference, occurrence) }

    /// The scope of a repetition, with one more part of the path.
    func inside(_ repetition: String) -> Scope {
        var inner = self
        inner.occurrence = occurrence.isEmpty ? repetition : occurrence + "/" + repetition
        return inner
    }

    /// The scope of what is performed for a task at another place.
    func inside(_ relation: String, _ task: JSONPointer) -> Scope {
        let reference = task.description.replacing("~", with: "~0").replacing("/", with: "~1")
        return inside("\(relation):\(reference)")
    }

    /// The values of variables by their names without `$`; unknown variables are omitted.
    func values(of variables: Set<String>) -> [String: Value] {
        var values: [String: Value] = [:]
        for name in variables { values[name] = locals[name] ?? value(of: name) }
        return values
    }

    private func value(of name: String) -> Value? {
        switch name {
        case "context": surroundings.fields.run.context
        case "input": input
        case "output": output
        case "task": extended?.valueWithDefinition ?? task?.value
        case "workflow": surroundings.fields.run.descriptor(input: surroundings.fields.workflowInput)
        case "runtime": ["name": "graphflow", "version": .string(Graphflow.version), "metadata": [:]]
        case "secrets": surroundings.fields.run.secrets.data
        case "authorization": authorization ?? .null
        default: nil
        }
    }
}

extension Run {
    /// What expressions can read about the workflow, as the standard defines it.
    func descriptor(input: Value) -> Value {
        [
            "id": isPlanning ? .unknown(planned.id) : .string(id), "definition": workflow.document.value,
            "input": input,
            "startedAt": isPlanning ? planned.startedAt.value : startedAt.descriptor,
        ]
    }
}
