/// What data can be at each task of a workflow, followed from the input along the data flow.
///
/// Nothing possible is excluded: where tasks are performed in another order than the file's, or more than once, the
/// data can be anything.
package struct TypeFlow {
    package private(set) var places: [Place] = []
    /// What each task and each expression sees.
    package private(set) var scopes: [JSONPointer: Scope] = [:]
    private(set) var findings: [Finding] = []
    /// Names of the context that are read but never written.
    private(set) var unwritten: [(name: String, pointer: JSONPointer)] = []
    /// The names that tasks export, each with the first task that does.
    private(set) var exports: [String: String] = [:]

    private let workflow: Workflow
    private let catalog: any FunctionCatalog
    private var context: DataType
    /// The names that were exported so far, even if the context can hold more.
    private var written: Set<String> = []
    /// Whether the context can hold names without an export: an export is computed, or the input is described.
    private var mayHoldAnything: Bool

    package init(_ workflow: Workflow, with catalog: any FunctionCatalog) {
        self.workflow = workflow
        self.catalog = catalog
        mayHoldAnything =
            workflow.input.schema != nil || workflow.input.from != nil || !workflow.components.functions.isEmpty
        context = .anything
        let tasks = workflow.allTasks
        for task in tasks {
            for name in task.exportedNames ?? [] where exports[name] == nil { exports[name] = task.name }
        }
        var input = DataType.anything
        if let schema = workflow.input.schema?.document {
            input = DataType(schema: schema, from: Self.inputSource)
        }
        let descriptors = Self.descriptors(input)
        if let from = workflow.input.from {
            input = type(of: from, JSONPointer(["input", "from"]), input, descriptors)
        }
        context = input.from(Self.contextSource)
        var output = visit(workflow.tasks, input, descriptors)
        // The workflow may end in the middle.
        if tasks.contains(where: { $0.continuations.contains(.end) }) { output = .anything }
        if let template = workflow.output.as {
            _ = type(of: template, JSONPointer(["output", "as"]), output, descriptors)
        }
    }

    /// Visits tasks in order; in a list with a jump back, every task can have any input.
    private mutating func visit(
        _ tasks: [Workflow.Task], _ input: DataType, _ variables: [String: DataType]
    ) -> DataType {
        // Each export may come before any task of the list.
        let isRepeated = tasks.contains(where: \.canJump) && tasks.exportCount > 0
        if isRepeated { repeated(tasks) }
        let places = Dictionary(tasks.enumerated().map { ($1.name, $0) }) { $1 }
        let goesBack = tasks.enumerated().contains { index, task in
            task.continuations.contains { if case .task(let name) = $0 { places[name] ?? 0 <= index } else { false } }
        }
        /// What comes from the task before, nil for nothing, and from jumps, by the name of the task.
        var (data, jumped, leaves) = (Optional(input), [String: DataType](), false)
        for task in tasks {
            let arriving = [data, jumped[task.name]].compactMap(\.self)
            let input = arriving.isEmpty || goesBack ? DataType.anything : arriving.reduce(.nothing) { $0.or($1) }
            let output = visit(task, input, variables)
            if isRepeated { context = .anything }
            // What no task leads to has no data for others.
            guard goesBack || !arriving.isEmpty else { continue }
            leaves = leaves || task.leaves
            data = task.condition != nil || task.continuations.contains(.continue) ? output : nil
            for case .task(let name) in task.continuations {
                // A handler of errors that jumps has data of its own.
                let isSure = if case .try = task.action { false } else { true }
                jumped[name] = isSure ? (jumped[name] ?? .nothing).or(output) : .anything
            }
        }
        return goesBack || leaves ? .anything : data ?? .anything
    }

    private mutating func visit(
        _ task: Workflow.Task, _ raw: DataType, _ outer: [String: DataType]
    ) -> DataType {
        let (place, before) = (task.reference, context)
        var input = task.input.schema?.document.map { DataType(schema: $0) } ?? raw
        if let from = task.input.from {
            input = type(of: from, place.appending("input").appending("from"), input, outer)
        }
        var variables = outer
        variables["task"] = Self.task(raw)
        variables["input"] = input
        if let condition = task.condition {
            infer(condition, place.appending("if"), input, variables, isTest: true)
            variables["context"] = context
            (input, variables) = condition.checked(input, variables)
            context = variables.removeValue(forKey: "context") ?? context
            variables["input"] = input
        }
        scopes[place] = Scope(input: input, variables: variables.merging(["context": context]) { $1 })
        let index = places.count
        var output = visit(task.action, of: task, input, variables)
        if let template = task.output.as {
            output = type(of: template, place.appending("output").appending("as"), output, variables)
        }
        if let schema = task.output.schema?.document { output = DataType(schema: schema) }
        if let template = task.export.as {
            variables["output"] = output
            let exported = type(of: template, place.appending("export").appending("as"), output, variables)
                .from(Self.contextSource)
            context = exported
            if exported.kinds == .object, !exported.isOpen {
                written.formUnion(exported.members.map(\.name))
            } else {
                mayHoldAnything = true
            }
        }
        if task.condition != nil { (output, context) = (output.or(raw), context.or(before)) }
        places.insert(Place(task: place, name: task.name, input: input, output: output, context: context), at: index)
        return output
    }

    private mutating func visit(
        _ action: Workflow.Action, of task: Workflow.Task, _ input: DataType, _ variables: [String: DataType]
    ) -> DataType {
        let place = task.reference
        switch action {
        case .call(let call):
            var given = DataType.anything
            if let arguments = call.arguments {
                given = type(of: arguments, place.appending("with"), input, variables, for: call)
            }
            if let inline = call.inline { visit(inline, with: given) }
            guard workflow.components.functions[call.function] == nil else {
                // A function's exports have no place in the order of the tasks.
                context = .anything
                return .anything
            }
            guard let signature = catalog.signature(call.function) else { return .anything }
            return (signature as? any AnswerTyping)?.answer(to: call.literal)
                ?? DataType(schema: signature.output, from: DataType.Source(signature.name, isDeclared: true))
        case .set(let template):
            return type(of: template, place.appending("set"), input, variables)
                .from(DataType.Source("'\(task.name)'"))
        case .do(let tasks): return visit(tasks, input, variables)
        case .emit(let emit):
            let pointer = place.appending("emit").appending("event").appending("with")
            _ = type(of: emit.properties, pointer, input, variables)
            return .anything
        case .for(let loop): return visit(loop, of: task, input, variables)
        case .fork(let fork):
            // It is unknown which branch exports last, and before which task of another one.
            if fork.branches.exportCount > 1 { repeated(fork.branches) }
            for branch in fork.branches {
                let before = context
                _ = visit(branch, input, variables)
                context = context.or(before)
            }
            return .anything
        case .listen(let listen):
            let before = context
            if let iterator = listen.iterator {
                if iterator.tasks.exportCount > 0 || iterator.export.as != nil { repeated(iterator.tasks) }
                _ = visit(
                    iterator.tasks, .anything, variables.filter { ![iterator.item, iterator.index].contains($0.key) })
                if iterator.export.as != nil { mayHoldAnything = true }
            }
            context = listen.iterator?.export.as == nil ? context.or(before) : .anything
            return .anything
        case .run: return .anything
        case .try(let attempt): return visit(attempt, input, variables)
        // The tasks after it in the list are performed for other data, if at all.
        case .raise: return .anything
        case .wait: return input
        case .switch(let cases):
            for (index, candidate) in cases.enumerated() {
                guard let condition = candidate.condition else { continue }
                let pointer = place.appending("switch").appending(index).appending(candidate.name)
                infer(condition, pointer.appending("when"), input, variables, isTest: true)
            }
            return input
        }
    }

    /// Visits the tasks of a `forEach`: their own run, which sees only its input.
    private mutating func visit(_ inline: Workflow.Call.Inline, with given: DataType) {
        let before = (context, written, mayHoldAnything)
        let item = given.member("in").only(.array).element
        let common = given.only(.object).known("input") == nil ? .object([]) : given.member("input")
        var input = common.adding(item.only(.object)).from(common.members.isEmpty ? item.source : nil)
        let other = item.without(.object)
        if !other.kinds.isEmpty {
            input = input.or(common.adding(.object([DataType.Member(name: "item", type: other, isCertain: true)])))
        }
        (context, mayHoldAnything) = (input, true)
        _ = visit(inline.tasks, input, Self.descriptors(input))
        (context, written, mayHoldAnything) = before
    }

    private mutating func visit(
        _ loop: Workflow.For, of task: Workflow.Task, _ input: DataType, _ variables: [String: DataType]
    ) -> DataType {
        let pointer = task.reference.appending("for").appending("in")
        let collection =
            switch loop.collection {
            case .expression(let expression): infer(expression, pointer, input, variables)
            case .elements(let template, _): type(of: template, pointer, input, variables)
            }
        var inner = variables
        inner[loop.item] = collection.kinds.contains(.array) ? collection.only(.array).element : .anything
        inner[loop.index] = .number
        let before = context
        // Each round may follow another one.
        if loop.tasks.exportCount > 0 { repeated(loop.tasks) }
        if let condition = loop.condition {
            infer(condition, task.reference.appending("while"), .anything, inner, isTest: true)
        }
        let last = visit(loop.tasks, .anything, inner)
        context = context.or(before)
        let source = last.kinds.contains(.array) ? nil : DataType.Source("'\(task.name)'", loop: task.name)
        return last.or(input).from(source)
    }

    private mutating func visit(
        _ attempt: Workflow.Try, _ input: DataType, _ variables: [String: DataType]
    ) -> DataType {
        let before = context
        if attempt.catch.retry != nil, attempt.tasks.exportCount > 0 { repeated(attempt.tasks) }
        let output = visit(attempt.tasks, input, variables)
        let after = context
        // An error may follow each export.
        context = attempt.tasks.exportCount > 1 ? .anything : context.or(before)
        guard let handler = attempt.catch.tasks else { return .anything }
        var inner = variables
        inner[attempt.catch.variable] = Self.error
        let handled = visit(handler, input, inner)
        context = context.or(after)
        return output.or(handled)
    }

    /// Forgets the context, because tasks may be performed in another order, or again.
    private mutating func repeated(_ tasks: [Workflow.Task]) {
        context = .anything
        for task in tasks.flatMap(\.withDescendants) { written.formUnion(task.exportedNames ?? []) }
    }

    // MARK: Expressions

    /// The type of a template's result.
    /// - Parameter call: The call whose arguments the data are; nil for other data.
    private mutating func type(
        of template: Template, _ pointer: JSONPointer, _ input: DataType, _ variables: [String: DataType],
        for call: Workflow.Call? = nil
    ) -> DataType {
        let demandsTexts = call?.demandsTexts ?? false
        return template.type { expression, place, isPart in
            let whole = JSONPointer(pointer.tokens + place.tokens)
            let type = infer(expression, whole, input, variables, demandsTexts: demandsTexts)
            if let reason = type.absence, isPart ? demandsTexts : call.map({ demands($0, place) }) ?? false {
                let found = Expression.TypeFinding(.absent(reason), isCertain: false, isTested: false, source: nil)
                findings.append(Finding(pointer: whole, found: found))
            }
            return type
        }
    }

    /// Whether a function requires an argument that is not null.
    private func demands(_ call: Workflow.Call, _ place: JSONPointer) -> Bool {
        guard place.tokens.count == 1, let name = place.tokens.first, call.source == nil,
            workflow.components.functions[call.function] == nil, let input = catalog.signature(call.function)?.input,
            input["required"]?.array?.contains(.string(name)) == true, let schema = input["properties"]?[name]
        else { return false }
        return !DataType(schema: schema).kinds.contains(.null)
    }

    @discardableResult private mutating func infer(
        _ expression: Expression, _ pointer: JSONPointer, _ input: DataType, _ variables: [String: DataType],
        isTest: Bool = false, demandsTexts: Bool = false
    ) -> DataType {
        var variables = variables
        variables["context"] = context
        scopes[pointer] = Scope(input: input, variables: variables)
        let (type, found) = expression.type(
            of: input, variables: variables, isTest: isTest, demandsTexts: demandsTexts)
        for finding in found { findings.append(Finding(pointer: pointer, found: finding)) }
        lookForContext(expression, pointer)
        return type
    }

    /// Assumes that an input without a description does not have what a later task exports.
    private mutating func lookForContext(_ expression: Expression, _ pointer: JSONPointer) {
        guard context == DataType.anything.from(context.source), !mayHoldAnything else { return }
        for read in expression.reads where read.variable == "context" {
            guard let name = read.keys.first, !written.contains(name), exports[name] != nil else { continue }
            unwritten.append((name, pointer))
        }
    }
}
