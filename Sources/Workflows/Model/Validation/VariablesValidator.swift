/// Finds variables that an expression reads where they have no value.
///
/// Specification: dsl.md, "Runtime expression arguments", the table of which arguments are available where.
package struct VariablesValidator: WorkflowValidator {
    package struct SecretRead {
        /// The secret's name and the names inside it; empty if an expression reads all of them.
        package let keys: [String]
        let pointer: JSONPointer
    }

    struct Reads {
        /// The variables that are read where they have no value.
        var diagnostics: [Diagnostic] = []
        var ofSecrets: [SecretRead] = []
        /// The variables at the place that was asked for.
        var available: Set<String>?
    }

    /// The variables that an expression at a place can read; nil where there is none.
    package static func variables(at place: JSONPointer, of workflow: WorkflowOutline) -> Set<String>? {
        reads(of: workflow, asking: place).available
    }

    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] { workflow.reads.diagnostics }

    static func reads(of workflow: WorkflowOutline, asking place: JSONPointer? = nil) -> Reads {
        var search = Search(workflow: workflow, asked: place)
        let root = JSONPointer.root
        for schema in workflow.ownSchemas { search.look(at: schema.resource) }
        search.look(at: workflow.input.from, root.appending("input").appending("from"), .workflowInput)
        search.look(at: workflow.timeout, root.appending("timeout").appending("after"), .workflowInput)
        for (_, policy) in workflow.components.authentications.sorted(by: { $0.key < $1.key }) {
            search.look(at: policy)
        }
        for list in workflow.components.taskLists + [workflow.tasks] {
            for task in list { search.look(at: task, locals: []) }
        }
        for definition in workflow.components.extensions {
            search.look(at: definition.condition, definition.pointer.appending("when"), .condition, [])
        }
        search.look(at: workflow.output.as, root.appending("output").appending("as"), .workflowOutput)
        return search.reads
    }

    /// The kinds of places, by the variables that are available there.
    private enum Place {
        case workflowInput
        case workflowOutput
        case taskInput
        case condition
        case definition
        case authentication
        case taskOutput
        case export

        /// The variables that are available there; built once, because every read is checked against them.
        var available: Set<String> { Self.available[self] ?? [] }

        private static let available: [Place: Set<String>] = {
            let everywhere: Set = ["secrets", "workflow", "runtime"]
            // '$authorization' has no value before the call authenticates.
            let inTask = everywhere.union(["context", "input", "task"])
            let inDefinition = inTask.union(["authorization"])
            return [
                .workflowInput: everywhere, .workflowOutput: everywhere.union(["context"]),
                .taskInput: everywhere.union(["context", "task"]), .condition: inTask, .authentication: inTask,
                .definition: inDefinition, .taskOutput: inDefinition, .export: inDefinition.union(["output"]),
            ]
        }()
    }

    private struct Search {
        let workflow: WorkflowOutline
        /// The place whose variables are asked for.
        let asked: JSONPointer?
        var reads = Reads()

        private mutating func note(_ pointer: @autoclosure () -> JSONPointer, _ place: Place, _ locals: Set<String>) {
            guard let asked, asked.tokens.starts(with: pointer().tokens) else { return }
            reads.available = place.available.union(locals)
        }

        mutating func look(at task: Workflow.Task, locals: Set<String>) {
            let place = task.reference
            if task.readsSchemas { for schema in task.schemas { look(at: schema.resource, locals) } }
            look(at: task.input.from, place.appending("input").appending("from"), .taskInput, locals)
            look(at: task.condition, place.appending("if"), .condition, locals)
            look(at: task.timeout, place.appending("timeout").appending("after"), .definition, locals)
            look(at: task.action, of: place, locals: locals)
            look(at: task.output.as, place.appending("output").appending("as"), .taskOutput, locals)
            look(at: task.export.as, place.appending("export").appending("as"), .export, locals)
        }

        private mutating func look(at action: Workflow.Action, of place: JSONPointer, locals: Set<String>) {
            switch action {
            case .call(let call):
                look(at: call.arguments, place.appending("with"), .definition, locals)
                look(at: call.source.map { ExternalResource(endpoint: $0.endpoint) }, locals)
                // They are their own run, which sees only its input.
                for task in call.inline?.tasks ?? [] { look(at: task, locals: []) }
            case .do(let tasks): for task in tasks { look(at: task, locals: locals) }
            case .emit(let emit):
                look(
                    at: emit.properties, place.appending("emit").appending("event").appending("with"), .definition,
                    locals)
            case .for(let loop): look(at: loop, place, around: locals)
            case .fork(let fork): for branch in fork.branches { look(at: branch, locals: locals) }
            case .listen(let listen): look(at: listen, place, around: locals)
            case .raise(let error):
                look(at: error.members, place.appending("raise").appending("error"), .definition, locals)
            case .run(let process): look(at: process, place.appending("run"), locals)
            case .set(let template): look(at: template, place.appending("set"), .definition, locals)
            case .switch(let cases):
                for (index, candidate) in cases.enumerated() {
                    let pointer = place.appending("switch").appending(index).appending(candidate.name)
                    look(at: candidate.condition, pointer.appending("when"), .definition, locals)
                }
            case .try(let attempt):
                for task in attempt.tasks { look(at: task, locals: locals) }
                look(at: attempt.catch, place.appending("catch"), around: locals)
            case .wait(let duration): look(at: duration, place.appending("wait"), .definition, locals)
            }
        }

        private mutating func look(at loop: Workflow.For, _ place: JSONPointer, around outer: Set<String>) {
            switch loop.collection {
            case .expression(let expression):
                look(at: expression, place.appending("for").appending("in"), .definition, outer)
            case .elements(let template, _):
                look(at: template, place.appending("for").appending("in"), .definition, outer)
            }
            let locals = outer.union([loop.item, loop.index])
            look(at: loop.condition, place.appending("while"), .definition, locals)
            for task in loop.tasks { look(at: task, locals: locals) }
        }

        private mutating func look(at listen: Workflow.Listen, _ place: JSONPointer, around outer: Set<String>) {
            let events = place.appending("listen").appending("to")
            look(at: listen.events, events, outer)
            guard let iterator = listen.iterator else { return }
            let locals = outer.union([iterator.item, iterator.index])
            let foreach = place.appending("foreach")
            for task in iterator.tasks { look(at: task, locals: locals) }
            look(at: iterator.output.as, foreach.appending("output").appending("as"), .taskOutput, locals)
            look(at: iterator.export.as, foreach.appending("export").appending("as"), .export, locals)
        }

        private mutating func look(at events: EventConsumption, _ place: JSONPointer, _ locals: Set<String>) {
            switch events {
            case .one(let filter): look(at: filter, place.appending("one"), locals)
            case .all(let filters): look(at: filters, place.appending("all"), locals)
            case .any(let filters, let until):
                look(at: filters, place.appending("any"), locals)
                let pointer = place.appending("until")
                switch until {
                case .condition(let condition): look(at: condition, pointer, .definition, locals)
                case .events(let events): look(at: events, pointer, locals)
                case nil: break
                }
            }
        }

        private mutating func look(at filters: [EventFilter], _ place: JSONPointer, _ locals: Set<String>) {
            for (index, filter) in filters.enumerated() { look(at: filter, place.appending(index), locals) }
        }

        private mutating func look(at filter: EventFilter, _ place: JSONPointer, _ locals: Set<String>) {
            look(at: filter.properties, place.appending("with"), .definition, locals)
            for (name, correlation) in filter.correlations {
                let pointer = place.appending("correlate").appending(name)
                look(at: correlation.from, pointer.appending("from"), .definition, locals)
                look(at: correlation.expect, pointer.appending("expect"), .definition, locals)
            }
        }

        private mutating func look(at process: Workflow.Process, _ place: JSONPointer, _ locals: Set<String>) {
            switch process.kind {
            case .shell(let command, let surroundings):
                look(at: command, place.appending("shell").appending("command"), .definition, locals)
                look(at: surroundings, place.appending("shell"), locals)
            case .script(_, let script, let surroundings):
                switch script {
                case .text: break
                case .code(let code):
                    look(at: code, place.appending("script").appending("code"), .definition, locals)
                case .resource(let resource): look(at: resource, locals)
                }
                look(at: surroundings, place.appending("script"), locals)
            case .container(let container, let surroundings):
                let pointer = place.appending("container")
                for (name, template) in container.templates {
                    look(at: template, pointer.appending(name), .definition, locals)
                }
                if case .expression(let expression) = container.lifetime.after {
                    look(at: expression, pointer.appending("lifetime").appending("after"), .definition, locals)
                }
                look(at: surroundings, pointer, locals)
            case .workflow(_, let input):
                look(at: input, place.appending("workflow").appending("input"), .definition, locals)
            }
        }

        private mutating func look(
            at surroundings: Workflow.Process.Surroundings, _ place: JSONPointer, _ locals: Set<String>
        ) {
            look(at: surroundings.arguments, place.appending("arguments"), .definition, locals)
            look(at: surroundings.environment, place.appending("environment"), .definition, locals)
            look(at: surroundings.standardInput, place.appending("stdin"), .definition, locals)
        }

        private mutating func look(at handler: Workflow.Catch, _ place: JSONPointer, around outer: Set<String>) {
            let locals = outer.union([handler.variable])
            look(at: handler.when, place.appending("when"), .definition, locals)
            look(at: handler.exceptWhen, place.appending("exceptWhen"), .definition, locals)
            let retry = place.appending("retry")
            look(at: handler.retry?.when, retry.appending("when"), .definition, locals)
            look(at: handler.retry?.exceptWhen, retry.appending("exceptWhen"), .definition, locals)
            look(at: handler.retry?.delay, retry.appending("delay"), .definition, locals)
            let jitter = retry.appending("jitter")
            look(at: handler.retry?.jitter?.from, jitter.appending("from"), .definition, locals)
            look(at: handler.retry?.jitter?.to, jitter.appending("to"), .definition, locals)
            let limit = retry.appending("limit")
            look(at: handler.retry?.totalDuration, limit.appending("duration"), .definition, locals)
            // An attempt begins before there is an error to read.
            let attempt = limit.appending("attempt").appending("duration")
            look(at: handler.retry?.attemptDuration, attempt, .definition, outer)
            for task in handler.tasks ?? [] { look(at: task, locals: locals) }
        }

        mutating func look(at resource: ExternalResource?, _ locals: Set<String> = []) {
            guard let endpoint = resource?.endpoint else { return }
            if case .expression(let template) = endpoint.address {
                let isObject = workflow.document.value[endpoint.pointer]?.object != nil
                look(at: template, isObject ? endpoint.pointer.appending("uri") : endpoint.pointer, .definition, locals)
            }
            if case .own(let policy) = endpoint.authentication { look(at: policy, locals) }
        }

        mutating func look(at policy: Authentication, _ locals: Set<String> = []) {
            guard case .inline(let template) = policy.properties else { return }
            look(at: template, policy.pointer, .authentication, locals)
        }

        mutating func look(
            at template: Template?, _ pointer: @autoclosure () -> JSONPointer, _ place: Place,
            _ locals: Set<String> = []
        ) {
            if template != nil { note(pointer(), place, locals) }
            for read in template?.variableReads ?? [] {
                let whole = JSONPointer(pointer().tokens + read.pointer.tokens)
                judge(
                    read.read,
                    template?.reads.first { $0.pointer == read.pointer && $0.path.variable == read.read.name }?.path,
                    at: whole, place, locals)
            }
            for read in template?.reads ?? [] where read.path.variable == "secrets" {
                let whole = JSONPointer(pointer().tokens + read.pointer.tokens)
                reads.ofSecrets.append(SecretRead(keys: read.path.keys, pointer: whole))
            }
        }

        mutating func look(
            at source: DurationSource?, _ pointer: @autoclosure () -> JSONPointer, _ place: Place,
            _ locals: Set<String> = []
        ) {
            guard case .expression(let expression) = source else { return }
            look(at: expression, pointer(), place, locals)
        }

        mutating func look(
            at expression: Expression?, _ pointer: @autoclosure () -> JSONPointer, _ place: Place,
            _ locals: Set<String>
        ) {
            if expression != nil { note(pointer(), place, locals) }
            for read in expression?.variableReads ?? [] {
                judge(
                    read, expression?.reads.first { $0.variable == read.name }, at: pointer(), place, locals)
            }
            for read in expression?.reads ?? [] where read.variable == "secrets" {
                reads.ofSecrets.append(SecretRead(keys: read.keys, pointer: pointer()))
            }
        }

        private mutating func judge(
            _ read: Expression.VariableRead, _ path: @autoclosure () -> Expression.StaticPath?,
            at pointer: JSONPointer, _ place: Place, _ locals: Set<String>
        ) {
            let name = read.name
            guard !locals.contains(name), !place.available.contains(name) else { return }
            let available = place.available.union(locals)
            let isElsewhere = Place.export.available.contains(name)
            let hint =
                name == "output"
                ? "'$output' can only be read in 'export.as'"
                : kept(name, path()?.keys.first)
                    ?? Diagnostic.didYouMean("$\(name)", among: available.sorted().map { "$\($0)" })
                    ?? "available here: \(available.sorted().map { "$\($0)" }.quoted)"
            reads.diagnostics.append(
                workflow.document.diagnostic(
                    id: "unknown-variable",
                    isElsewhere ? "'$\(name)' cannot be read here" : "there is no variable '$\(name)'", hint: hint,
                    at: pointer, offset: read.offset, length: name.count + 1))
        }

        /// How to read a task's result, for a variable named like a task, or as other tools name all results.
        private func kept(_ name: String, _ member: String?) -> String? {
            if workflow.allTasks.contains(where: { $0.name == name }) { return Habits.keeping(name) }
            return Habits.results.contains(name) ? Habits.keeping(member) : nil
        }
    }
}
