/// Finds data that an expression reads but no earlier task can have written.
///
/// Only certain faults are reported: a value that can come from anywhere is accepted.
struct DataReadsValidator: WorkflowValidator {
    let catalog: any FunctionCatalog

    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        var search = Search(workflow: workflow, catalog: catalog)
        // An extension may replace a task's output with anything.
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

    /// The shape of data that has one of two shapes.
    func or(_ other: DataShape) -> DataShape {
        guard case .object(let left) = self, case .object(let right) = other else { return .anything }
        let known = Set(left)
        return .object(left + right.filter { !known.contains($0) })
    }
}

private struct Search {
    let workflow: WorkflowOutline
    let catalog: any FunctionCatalog
    var diagnostics: [Diagnostic] = []
    /// The shape of the context at the current task.
    private var context: DataShape
    /// The names that were exported so far, even if the context can hold more.
    private var written: Set<String> = []
    /// Whether the context can hold names that no export has, because an export is computed or the input is described.
    private var mayHoldAnything: Bool
    /// The task that exports each member of the context first, for the hint.
    private lazy var exports: [String: String] = workflow.allTasks.reduce(into: [:]) { exports, task in
        guard case .object(let names) = task.exportShape(context: .object([])) else { return }
        for name in names where exports[name] == nil { exports[name] = task.name }
    }

    init(workflow: WorkflowOutline, catalog: any FunctionCatalog) {
        self.workflow = workflow
        self.catalog = catalog
        context = .anything
        mayHoldAnything =
            workflow.input.schema != nil || workflow.input.from != nil || !workflow.components.functions.isEmpty
        context = workflowInput
    }

    /// The shape of the workflow's input; without a schema, it is assumed to hold nothing that an export names.
    var workflowInput: DataShape {
        guard workflow.input.from == nil, let schema = workflow.input.schema?.document else { return .anything }
        return DataShape(schema: schema)
    }

    /// Visits tasks in order; in a list with jumps, every task can have any input.
    mutating func visit(_ tasks: [Workflow.Task], input: DataShape) {
        let jumps = tasks.contains(where: \.canJump)
        var input = input
        for task in tasks {
            if jumps { input = .anything }
            input = visit(task, input: input)
        }
    }

    /// Visits a task and returns the shape of its output.
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
                // A function's exports have no place in the order of the tasks.
                context = .anything
                return .anything
            }
            return catalog.signature(call.function).map { DataShape(schema: $0.output) } ?? .anything
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
            switch loop.collection {
            case .expression(let expression): look(at: expression, place.appending("for").appending("in"), input: input)
            case .elements(let template, _): look(at: template, place.appending("for").appending("in"), input: input)
            }
            let before = context
            // Each iteration's input is the output of the previous one.
            visit(loop.tasks, input: .anything)
            context = context.or(before)
            return .anything
        case .fork(let fork):
            for branch in fork.branches {
                // It is unknown which branch exports last.
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
            // An input without a description is assumed not to have what a later task exports.
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
                "unknown-data", "the task before this returns no '\(name)'",
                hint: Diagnostic.didYouMean(name, among: names)
                    ?? (names.isEmpty ? nil : "it returns \(names.quoted)"), at: pointer)
        default: break
        }
    }

    private mutating func report(_ id: String, _ message: String, hint: String?, at pointer: JSONPointer) {
        diagnostics.append(workflow.document.diagnostic(.warning, id: id, message, hint: hint, at: pointer))
    }
}

extension DataShape {
    /// The shape that a JSON Schema describes.
    fileprivate init(schema: Value) {
        guard schema["additionalProperties"] == false, schema["patternProperties"] == nil,
            let properties = schema["properties"]?.object
        else {
            self = .anything
            return
        }
        self = .object(properties.keys)
    }

    /// The shape of data with expressions in it: a literal object keeps its members.
    fileprivate init(literal: Value?, _ template: Template) {
        guard case .object(let members) = literal else {
            self = .anything
            return
        }
        self = .object(members.keys)
    }
}

extension Workflow.Task {
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
