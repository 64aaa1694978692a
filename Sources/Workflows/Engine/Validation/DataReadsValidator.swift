/// Finds data that an expression reads and that nothing before it can have given.
///
/// Only what is certain is reported: where a value can come from anywhere, nothing is said.
struct DataReadsValidator: WorkflowValidator {
    let catalog: Catalog

    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        var search = Search(workflow: workflow, catalog: catalog)
        // An extension may put anything in the place of what a task gives.
        guard workflow.components.extensions.isEmpty else { return [] }
        search.visit(workflow.tasks, input: search.workflowInput)
        search.look(at: workflow.output.as, JSONPointer(["output", "as"]), input: .anything)
        return search.diagnostics
    }
}

/// What is known of the shape of data.
enum DataShape: Equatable {
    /// It can be anything.
    case anything
    /// An object with those members and no other.
    case object([String])

    /// What is known of data that is like this or like that.
    func or(_ other: DataShape) -> DataShape {
        guard case .object(let left) = self, case .object(let right) = other else { return .anything }
        let known = Set(left)
        return .object(left + right.filter { !known.contains($0) })
    }
}

private struct Search {
    let workflow: WorkflowOutline
    let catalog: Catalog
    var diagnostics: [Diagnostic] = []
    /// What the context can hold at the place that is looked at.
    private var context: DataShape
    /// What was exported so far, also where the context can hold more.
    private var written: Set<String> = []
    /// Whether the context can hold what no export names, because an export is computed or the input is described.
    private var mayHoldAnything: Bool
    /// The task that exports each member of the context first, for the hint.
    private lazy var exports: [String: String] = workflow.allTasks.reduce(into: [:]) { exports, task in
        guard case .object(let names) = task.exportShape(context: .object([])) else { return }
        for name in names where exports[name] == nil { exports[name] = task.name }
    }

    init(workflow: WorkflowOutline, catalog: Catalog) {
        self.workflow = workflow
        self.catalog = catalog
        context = .anything
        mayHoldAnything =
            workflow.input.schema != nil || workflow.input.from != nil || !workflow.components.functions.isEmpty
        context = workflowInput
    }

    /// What the workflow's input can hold; what has no schema is taken to hold nothing that an export is named for.
    var workflowInput: DataShape {
        guard workflow.input.from == nil, let schema = workflow.input.schema?.document else { return .anything }
        return DataShape(schema: schema)
    }

    /// Looks at tasks in their order; a list with jumps may be entered anywhere with anything.
    mutating func visit(_ tasks: [Workflow.Task], input: DataShape) {
        let jumps = tasks.contains(where: \.jumps)
        var input = input
        for task in tasks {
            if jumps { input = .anything }
            input = visit(task, input: input)
        }
    }

    /// Looks at a task, and gives what is known of its output.
    private mutating func visit(_ task: Workflow.Task, input raw: DataShape) -> DataShape {
        let place = task.reference
        look(at: task.input.from, place.appending("input").appending("from"), input: raw)
        let input = task.input.from == nil ? raw : .anything
        look(at: task.condition, place.appending("if"), input: input)
        var output = visit(task.action, of: task, input: input)
        look(at: task.output.as, place.appending("output").appending("as"), input: output)
        if let transformation = task.output.as {
            output = DataShape(literal: task.definition["output"]?["as"], transformation)
        }
        look(at: task.export.as, place.appending("export").appending("as"), input: output)
        let exported = task.export.as.map { _ in task.exportShape(context: context, output: output) }
        if let exported {
            context = task.condition == nil ? exported : context.or(exported)
            if case .object(let names) = exported { written.formUnion(names) } else { mayHoldAnything = true }
        }
        return task.condition == nil ? output : output.or(raw)
    }

    private mutating func visit(_ action: Workflow.Action, of task: Workflow.Task, input: DataShape) -> DataShape {
        let place = task.reference
        switch action {
        case .call(let call):
            look(at: call.arguments, place.appending("with"), input: input)
            guard workflow.components.functions[call.function] == nil else {
                // What a function exports is found nowhere in the order of the tasks.
                context = .anything
                return .anything
            }
            return catalog[call.function].map { DataShape(schema: $0.output) } ?? .anything
        case .set(let template):
            look(at: template, place.appending("set"), input: input)
            return DataShape(literal: task.definition["set"], template)
        case .do(let tasks):
            visit(tasks, input: input)
            return .anything
        case .emit(let emit):
            look(
                at: emit.properties, place.appending("emit").appending("event").appending("with"), input: input)
            return .anything
        case .for(let loop):
            look(at: loop.collection, place.appending("for").appending("in"), input: input)
            let before = context
            // Each round begins with what the round before gave.
            visit(loop.tasks, input: .anything)
            context = context.or(before)
            return .anything
        case .fork(let fork):
            for branch in fork.branches {
                // Where branches export, it is open which of them does so last.
                let before = context
                _ = visit(branch, input: input)
                context = context.or(before)
            }
            return .anything
        case .listen(let listen):
            let before = context
            visit(listen.iterator?.tasks ?? [], input: .anything)
            if listen.iterator?.export.as != nil { mayHoldAnything = true }
            context = listen.iterator?.export.as == nil ? context.or(before) : .anything
            return .anything
        case .run: return .anything
        case .try(let attempt):
            visit(attempt.tasks, input: input)
            let before = context
            visit(attempt.catch.tasks ?? [], input: input)
            context = context.or(before)
            return .anything
        case .raise, .wait: return input
        case .switch(let cases):
            for (index, candidate) in cases.enumerated() {
                let pointer = place.appending("switch").appending(index).appending(candidate.name)
                look(at: candidate.condition, pointer.appending("when"), input: input)
            }
            return input
        }
    }

    mutating func look(at template: Template?, _ pointer: @autoclosure () -> JSONPointer, input: DataShape) {
        for read in template?.reads ?? [] {
            judge(read.path, at: JSONPointer(pointer().tokens + read.pointer.tokens), input: input)
        }
    }

    private mutating func look(at expression: Expression?, _ pointer: @autoclosure () -> JSONPointer, input: DataShape)
    {
        for read in expression?.reads ?? [] { judge(read, at: pointer(), input: input) }
    }

    private mutating func judge(_ read: Expression.StaticPath, at pointer: JSONPointer, input: DataShape) {
        guard let name = read.keys.first else { return }
        switch read.variable {
        case "context":
            // Of an input that nothing describes, it is not expected that it has what a later task exports.
            let isMissing =
                if case .object(let names) = context {
                    !names.contains(name)
                } else {
                    !mayHoldAnything && !written.contains(name) && exports[name] != nil
                }
            guard isMissing else { return }
            report(
                "unwritten-context", "nothing before this has written '$context.\(name)'",
                hint: exports[name].map { "'\($0)' exports it later" }
                    ?? Diagnostic.didYouMean(name, among: exports.keys.sorted()) ?? "export it from an earlier task",
                at: pointer)
        case nil, "input":
            guard case .object(let names) = input, !names.contains(name), read.variable == nil else { return }
            report(
                "unknown-data", "the task before this gives no '\(name)'",
                hint: Diagnostic.didYouMean(name, among: names)
                    ?? (names.isEmpty ? nil : "it gives \(names.quoted)"), at: pointer)
        default: break
        }
    }

    private mutating func report(_ id: String, _ message: String, hint: String?, at pointer: JSONPointer) {
        diagnostics.append(workflow.document.diagnostic(.warning, id: id, message, hint: hint, at: pointer))
    }
}

extension DataShape {
    /// What a JSON Schema says of data.
    fileprivate init(schema: Value) {
        guard schema["additionalProperties"] == false, schema["patternProperties"] == nil,
            let properties = schema["properties"]?.object
        else {
            self = .anything
            return
        }
        self = .object(properties.keys)
    }

    /// What data with expressions in it will be: an object that is written down has the members that it has.
    fileprivate init(literal: Value?, _ template: Template) {
        guard case .object(let members) = literal else {
            self = .anything
            return
        }
        self = .object(members.keys)
    }
}

extension Workflow.Task {
    /// Whether the task can lead to another one than the next.
    var jumps: Bool {
        let directives = if case .switch(let cases) = action { cases.map(\.then) + [then] } else { [then] }
        return directives.contains { if case .task = $0 { true } else { false } }
    }

    /// What the context holds after the task's export.
    fileprivate func exportShape(context: DataShape, output: DataShape = .anything) -> DataShape {
        switch definition["export"]?["as"] {
        case .object(let members): return .object(members.keys)
        case .string(let text):
            guard let expression = try? Expression(bare: text) else { return .anything }
            if expression.source.filter({ !$0.isWhitespace }) == "." { return output }
            guard let construction = expression.construction else { return .anything }
            switch construction.base {
            case nil: return .object(construction.names)
            case ".": return output.or(.object(construction.names))
            case "context": return context.or(.object(construction.names))
            default: return .anything
            }
        default: return context
        }
    }
}
