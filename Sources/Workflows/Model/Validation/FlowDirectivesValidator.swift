/// Finds directives that lead to a task outside their own list.
///
/// It reads the file's text, and so includes tasks with errors, and their directives.
struct FlowDirectivesValidator: WorkflowValidator {
    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        var search = Search()
        for part in ["use", "do"] {
            if let value = workflow.document.value[part] { search.look(at: value, JSONPointer([part])) }
        }
        return search.directives.compactMap { directive in
            let (name, names) = (directive.target, directive.names)
            guard !names.contains(name), case .task = FlowDirective(name) else { return nil }
            let isElsewhere = search.names.contains(name)
            return workflow.document.diagnostic(
                id: "unknown-target",
                isElsewhere ? "the task '\(name)' is not in this list" : "there is no task '\(name)'",
                hint: Diagnostic.didYouMean(name, among: names.sorted() + ["continue", "exit", "end"])
                    ?? (isElsewhere ? "a directive can only lead to a task in the same list" : nil),
                at: directive.pointer)
        }
    }

    private struct Search {
        /// The members with data or expressions, and without tasks.
        private static let data: Set<String> = [
            "set", "with", "input", "output", "export", "metadata", "raise", "emit", "run", "wait", "schedule", "in",
        ]

        var names: Set<String> = []
        /// Every directive, with the names of the tasks in its list.
        var directives: [(target: String, names: Set<String>, pointer: JSONPointer)] = []

        mutating func look(at value: Value, _ pointer: JSONPointer) {
            switch value {
            case .object(let members):
                for member in members where !Self.data.contains(member.key) {
                    look(at: member.value, pointer.appending(member.key))
                }
            case .array(let elements): look(at: elements, pointer)
            default: break
            }
        }

        /// Searches a list of objects with one member each: the task.
        private mutating func look(at list: [Value], _ pointer: JSONPointer) {
            let names = Set(list.compactMap { $0.object?.keys.first })
            self.names.formUnion(names)
            for (index, element) in list.enumerated() {
                for (name, task) in element.object ?? Object() where task.object != nil {
                    let place = pointer.appending(index).appending(name)
                    note(task, names, place)
                    if let handler = task["catch"] { note(handler, names, place.appending("catch")) }
                    for (position, element) in (task["switch"]?.array ?? []).enumerated() {
                        for (name, candidate) in element.object ?? Object() {
                            note(candidate, names, place.appending("switch").appending(position).appending(name))
                        }
                    }
                    // The arguments of a call are data, except for the tasks of a 'forEach'.
                    if task["call"]?.string?.hasPrefix(Workflow.Call.forEach) ?? false, let body = task["with"]?["do"] {
                        look(at: body, place.appending("with").appending("do"))
                    }
                    for member in task.object ?? Object()
                    where member.key != "switch" && !Self.data.contains(member.key) {
                        look(at: member.value, place.appending(member.key))
                    }
                }
            }
        }

        private mutating func note(_ holder: Value, _ names: Set<String>, _ pointer: JSONPointer) {
            guard let target = holder["then"]?.string else { return }
            directives.append((target, names, pointer.appending("then")))
        }
    }
}
