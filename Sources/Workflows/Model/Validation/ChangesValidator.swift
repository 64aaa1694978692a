/// Finds sources of changes whose events nothing waits for.
struct ChangesValidator: WorkflowValidator {
    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        if case .on? = workflow.schedule { return [] }
        let listens = workflow.allTasks.contains { if case .listen = $0.action { true } else { false } }
        guard let source = workflow.changes.first, !listens else { return [] }
        return [
            workflow.document.diagnostic(
                .warning, id: "changes", "these changes start nothing",
                hint: "add 'schedule: { on: { one: { with: { type: "
                    + "microsoft.graph.\(source.item.rawValue).created } } } }'",
                at: source.place)
        ]
    }
}
