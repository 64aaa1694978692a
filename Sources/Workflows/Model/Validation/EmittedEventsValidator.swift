/// Finds events that are emitted without a source, which version 1.0.3 of the standard requires.
struct EmittedEventsValidator: WorkflowValidator {
    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        workflow.allTasks.compactMap { task in
            guard case .emit(let event) = task.action, !event.literal.contains("source") else { return nil }
            return workflow.document.diagnostic(
                .warning, id: "event-source",
                "an event that is emitted needs the property 'source' in version 1.0.3 of the standard",
                hint: "without it the source is made from the workflow's namespace, name and version",
                at: task.reference.appending("emit").appending("event"))
        }
    }
}
