import Foundation

/// What the expressions at one place of a workflow can read.
///
/// Copied for every task, and into everything that waits for one: what most places share lies behind one reference.
struct Scope: Sendable {
    private var surroundings: Surroundings
    /// Names that tasks around this place define, such as the error that a `try` caught.
    var locals: [String: Value] = [:]
    /// The task that the place belongs to; nil for the workflow's own places.
    var task: TaskDescriptor?
    /// The path of the repetitions around the place; see ``Event/occurrence``.
    var occurrence = ""
    /// The transformed input, where there is one yet.
    var input: Value?
    /// The transformed output, where there is one yet.
    var output: Value?
    /// What the task's call proves who asks with, where it does.
    var authorization: Value?

    /// What is the same in a whole run, or in most of one.
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
    ///   - run: The run.
    ///   - workflowInput: The workflow's input before its transformation.
    ///   - reader: Which events the run has read.
    init(run: Run, workflowInput: Value, reader: EventReader) {
        surroundings = Surroundings(.init(run: run, workflowInput: workflowInput, reader: reader))
    }

    /// Which events this branch of the run has read.
    var reader: EventReader {
        get { surroundings.fields.reader }
        set { shared.reader = newValue }
    }

    /// The task that is extended, where the place belongs to an extension: what `$task` stands for there.
    var extended: TaskDescriptor? {
        get { surroundings.fields.extended }
        set { shared.extended = newValue }
    }

    /// How many functions of the workflow the place is inside of.
    var depth: Int {
        get { surroundings.fields.depth }
        set { shared.depth = newValue }
    }

    /// The performance of a task that the place is directly inside of.
    var owner: TaskExecution { task?.execution ?? .run }

    /// A performance of a task at this place.
    func execution(of task: Workflow.Task) -> TaskExecution { TaskExecution(task.reference, occurrence) }

    /// A scope for what is repeated, with one more part of the path.
    func inside(_ repetition: String) -> Scope {
        var inner = self
        inner.occurrence = occurrence.isEmpty ? repetition : occurrence + "/" + repetition
        return inner
    }

    /// A scope for what is performed on behalf of a task that lies elsewhere.
    func inside(_ relation: String, _ task: JSONPointer) -> Scope {
        let reference = task.description.replacing("~", with: "~0").replacing("/", with: "~1")
        return inside("\(relation):\(reference)")
    }

    /// The values of the variables that are asked for, without their `$`; one that is not known is left out.
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
    /// What the standard lets expressions know of the workflow that is run.
    func descriptor(input: Value) -> Value {
        [
            "id": .string(isPlanning ? "‹workflow.id›" : id), "definition": workflow.document.value, "input": input,
            "startedAt": isPlanning ? Date.plannedDescriptor("workflow") : startedAt.descriptor,
        ]
    }
}
