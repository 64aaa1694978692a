/// Finds calls of `undo` that have nothing to take back.
struct UndoValidator: WorkflowValidator {
    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        let tries = Dictionary(
            workflow.allTasks.compactMap { task -> (JSONPointer, Workflow.Try)? in
                guard case .try(let attempt) = task.action else { return nil }
                return (task.reference, attempt)
            }
        ) { first, _ in first }
        return workflow.allTasks.flatMap { task -> [Diagnostic] in
            guard case .call(let call) = task.action, call.function.prefix(while: { $0 != ":" }) == "undo",
                workflow.components.functions[call.function] == nil
            else { return [] }
            guard let attempt = task.reference.handled.flatMap({ tries[$0] }) else {
                // Only a run knows which `catch` calls the workflow's function.
                guard task.reference.tokens.first != "use" else { return [] }
                return [
                    workflow.document.diagnostic(
                        id: "undo-outside", "'undo' is not inside a 'catch'",
                        hint: "it takes back what the tasks of a 'try' did: call it in the 'do' of its 'catch'",
                        at: task.reference.appending("call"))
                ]
            }
            let names = attempt.tasks.flatMap(\.withDescendants).map(\.name)
            return (call.literal["tasks"]?.array ?? []).enumerated().compactMap { index, name in
                guard let name = name.literal, !names.contains(name) else { return nil }
                return workflow.document.diagnostic(
                    id: "untried-task", "this 'try' has no task '\(name)'",
                    hint: Diagnostic.didYouMean(name, among: names),
                    at: JSONPointer(task.reference.tokens + ["with", "tasks", "\(index)"]))
            }
        }
    }
}

extension JSONPointer {
    /// The `try` to whose `catch` a task belongs; nil for none.
    fileprivate var handled: JSONPointer? {
        // A task's name follows its number in a list.
        let index = tokens.indices.last { index in
            index > 1 && tokens[index] == "catch" && Int(tokens[index - 2]) != nil
                && tokens.indices.contains(index + 2) && tokens[index + 1] == "do" && Int(tokens[index + 2]) != nil
        }
        return index.map { JSONPointer(Array(tokens[..<$0])) }
    }
}
