/// Finds tasks whose name is used twice in their list, or is a word of flow directives.
struct UniqueTaskNamesValidator: WorkflowValidator {
    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        let branches = workflow.allTasks.compactMap { task -> [Workflow.Task]? in
            guard case .fork(let fork) = task.action else { return nil }
            return fork.branches
        }
        let duplicates = (workflow.taskLists + branches).filter { $0.count > 1 }.flatMap { tasks in
            var seen: Set<String> = []
            return tasks.filter { !seen.insert($0.name).inserted }
        }
        return duplicates.map { task in
            workflow.document.diagnostic(
                id: "duplicate-task", "another task of this list is called '\(task.name)'",
                hint: "give each task of a list its own name", at: task.reference, part: .key)
        }
            + workflow.allTasks.filter { FlowDirective($0.name) != .task($0.name) }.map { task in
                workflow.document.diagnostic(
                    id: "reserved-name", "a task cannot be called '\(task.name)'",
                    hint: "'then: \(task.name)' would not lead to it", at: task.reference, part: .key)
            }
    }
}
