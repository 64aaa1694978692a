/// What the expressions at one place of a workflow can read.
///
/// Scopes are copied often: their data are behind one reference, and what most places share behind another.
struct Scope: Sendable {
    private var place: Place

    struct Fields {
        fileprivate var surroundings: Surroundings
        /// The names that tasks around this place define, such as the error that a `try` caught.
        var locals = Object()
        /// The task that the place belongs to; nil for the workflow's own places.
        var task: TaskDescriptor?
        /// The path of the repetitions around the place; see ``Event/occurrence``.
        var occurrence = ""
        /// The transformed input, once there is one.
        var input: Value?
        /// The transformed output, once there is one.
        var output: Value?
        var authorization: Value?
    }

    private final class Place: Sendable {
        let fields: Fields

        init(_ fields: Fields) { self.fields = fields }
    }

    /// Data that is the same in most of a run.
    fileprivate final class Surroundings: Sendable {
        struct Fields {
            let evaluator: Evaluator
            let workflowInput: Value
            var reader: EventReader
            var interrupt: Interrupt
            var extended: TaskDescriptor?
            var depth = 0
            /// The `try` whose error is being handled.
            var handled: TaskExecution?
            /// The context of this path of a plan; nil in a run, which has one for all its branches.
            var context: Value?
        }

        let fields: Fields

        init(_ fields: Fields) { self.fields = fields }
    }

    private var surroundings: Surroundings { place.fields.surroundings }

    private var shared: Surroundings.Fields {
        get { surroundings.fields }
        set { update { $0.surroundings = Surroundings(newValue) } }
    }

    /// Creates the scope of a workflow's own places; `workflowInput` is the input before its transformation.
    init(_ evaluator: Evaluator, workflowInput: Value, reader: EventReader, interrupt: Interrupt) {
        let surroundings = Surroundings(
            .init(evaluator: evaluator, workflowInput: workflowInput, reader: reader, interrupt: interrupt))
        place = Place(Fields(surroundings: surroundings))
    }

    var evaluator: Evaluator { surroundings.fields.evaluator }
    var locals: Object { place.fields.locals }
    var task: TaskDescriptor? { place.fields.task }
    var occurrence: String { place.fields.occurrence }
    var input: Value? { place.fields.input }
    var output: Value? { place.fields.output }

    /// Changes fields; each call copies them, so change several in one call.
    mutating func update(_ change: (inout Fields) -> Void) {
        var fields = place.fields
        change(&fields)
        place = Place(fields)
    }

    /// The events that this branch of the run has read.
    var reader: EventReader {
        get { surroundings.fields.reader }
        set { shared.reader = newValue }
    }

    var interrupt: Interrupt {
        get { surroundings.fields.interrupt }
        set { shared.interrupt = newValue }
    }

    /// The extended task if the place belongs to an extension, where `$task` is that task.
    var extended: TaskDescriptor? {
        get { surroundings.fields.extended }
        set { shared.extended = newValue }
    }

    /// The nesting depth of the workflow's functions at the place.
    var depth: Int {
        get { surroundings.fields.depth }
        set { shared.depth = newValue }
    }

    /// The innermost `try` whose `catch` the place belongs to.
    var handled: TaskExecution? {
        get { surroundings.fields.handled }
        set { shared.handled = newValue }
    }

    var context: Value {
        get { surroundings.fields.context ?? evaluator.context }
        set { shared.context = newValue }
    }

    /// A context that travels with the data from here; nil in a run, which has one for all its branches.
    func carried(_ context: Value?) -> Value? { surroundings.fields.context == nil ? nil : context }

    /// The scope after a step that may have changed the context.
    func following(_ outcome: Outcome) -> Scope { outcome.context.map { with(context: $0) } ?? self }

    func with(context: Value) -> Scope {
        var scope = self
        scope.context = context
        return scope
    }

    /// The execution of the task that the place is directly inside.
    var owner: TaskExecution { task?.execution ?? .run }

    func execution(of task: Workflow.Task) -> TaskExecution { TaskExecution(task.reference, occurrence) }

    /// The scope of a repetition, with one more part of the path.
    func inside(_ repetition: String) -> Scope {
        var inner = self
        inner.update { $0.repeat(as: repetition) }
        return inner
    }

    /// The scope of what is performed for a task at another place.
    func inside(_ relation: String, _ task: JSONPointer) -> Scope {
        let reference = task.description.replacing("~", with: "~0").replacing("/", with: "~1")
        return inside("\(relation):\(reference)")
    }

    /// The values of variables by their names without `$`; unknown variables are omitted.
    func values(of variables: Set<String>) -> [String: Value] {
        guard !variables.isEmpty else { return [:] }
        var values = [String: Value](minimumCapacity: variables.count)
        for name in variables { values[name] = locals[name] ?? value(of: name) }
        return values
    }

    private func value(of name: String) -> Value? {
        switch name {
        case "context": context
        case "input": input
        case "output": output
        case "task": extended?.valueWithDefinition ?? task?.value
        case "workflow": evaluator.descriptor(input: surroundings.fields.workflowInput)
        case "runtime": ["name": "graphflow", "version": .string(Graphflow.version), "metadata": [:]]
        case "secrets": evaluator.secrets.data
        case "authorization": place.fields.authorization ?? .null
        default: nil
        }
    }
}

extension Scope.Fields {
    mutating func `repeat`(as repetition: String) {
        occurrence = occurrence.isEmpty ? repetition : occurrence + "/" + repetition
    }
}
