/// Finds tasks that have the same name as another one of their list, or a name that flow directives cannot tell apart.
struct UniqueTaskNamesValidator: WorkflowValidator {
    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        workflow.taskLists.flatMap { tasks in
            var seen: Set<String> = []
            return tasks.compactMap { task -> Diagnostic? in
                if !seen.insert(task.name).inserted {
                    return workflow.document.diagnostic(
                        id: "duplicate-task", "another task of this list is called '\(task.name)'",
                        hint: "give each task of a list a name of its own", at: task.reference, part: .key)
                }
                guard FlowDirective(task.name) == .task(task.name) else {
                    return workflow.document.diagnostic(
                        id: "reserved-name", "a task cannot be called '\(task.name)'",
                        hint: "'then: \(task.name)' would not lead to it", at: task.reference, part: .key)
                }
                return nil
            }
        }
    }
}
