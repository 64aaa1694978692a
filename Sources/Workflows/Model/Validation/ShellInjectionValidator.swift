/// Finds shell commands that contain data, which the shell would execute.
struct ShellInjectionValidator: WorkflowValidator {
    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        workflow.allTasks.compactMap { task in
            guard case .run(let process) = task.action, case .shell(let command, _) = process.kind,
                !command.isConstant
            else { return nil }
            return workflow.document.diagnostic(
                .warning, id: "shell-injection", "the shell executes what the expressions in this command return",
                hint: "pass data through 'arguments' ($1, $2, …), 'environment' or 'stdin' instead",
                at: JSONPointer(task.reference.tokens + ["run", "shell", "command"]))
        }
    }
}
