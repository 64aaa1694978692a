/// Finds commands that data is written into, where the shell would obey what the data says.
struct ShellInjectionValidator: WorkflowValidator {
    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        workflow.allTasks.compactMap { task in
            guard case .run(let process) = task.action, case .shell(let command, _) = process.kind,
                !command.isConstant
            else { return nil }
            return workflow.document.diagnostic(
                .warning, id: "shell-injection", "the shell obeys what the expressions in this command give",
                hint: "give data through 'arguments' ($1, $2, …), 'environment' or 'stdin' instead",
                at: JSONPointer(task.reference.tokens + ["run", "shell", "command"]))
        }
    }
}
