/// Finds named arguments, which the text of the standard has and its schema refuses.
struct NamedArgumentsValidator: WorkflowValidator {
    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        workflow.allTasks.compactMap { task in
            guard case .run(let process) = task.action, case .script(_, _, let surroundings) = process.kind,
                surroundings.hasNamedArguments
            else { return nil }
            return workflow.document.diagnostic(
                .warning, id: "named-arguments",
                "the standard's schema allows a script's arguments only as a list of strings",
                hint: "other runtimes may refuse this: use a list, or 'environment'",
                at: JSONPointer(task.reference.tokens + ["run", "script", "arguments"]), part: .key)
        }
    }
}
