/// Finds directives that lead to a task that is not in their own list.
struct FlowDirectivesValidator: WorkflowValidator {
    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        workflow.taskLists.flatMap { tasks -> [Diagnostic] in
            let jumping = tasks.filter(\.canJump)
            guard !jumping.isEmpty else { return [] }
            let names = Set(tasks.map(\.name))
            return jumping.flatMap(directives).compactMap { directive, pointer -> Diagnostic? in
                guard case .task(let name) = directive, !names.contains(name) else { return nil }
                let elsewhere = workflow.allTasks.contains { $0.name == name }
                return workflow.document.diagnostic(
                    id: "unknown-target",
                    elsewhere ? "the task '\(name)' is not in this list" : "there is no task '\(name)'",
                    hint: Diagnostic.didYouMean(name, among: names.sorted() + ["continue", "exit", "end"])
                        ?? (elsewhere ? "a directive can only lead to a task of its own list" : nil),
                    at: pointer)
            }
        }
    }

    private func directives(of task: Workflow.Task) -> [(FlowDirective, JSONPointer)] {
        let own = (task.then, task.reference.appending("then"))
        switch task.action {
        case .switch(let cases):
            return [own]
                + cases.enumerated().map { index, candidate in
                    let place = task.reference.appending("switch").appending(index)
                    return (candidate.then, place.appending(candidate.name).appending("then"))
                }
        case .try(let attempt):
            let place = task.reference.appending("catch").appending("then")
            return [own] + (attempt.catch.then.map { [($0, place)] } ?? [])
        default: return [own]
        }
    }
}
