/// Finds retries that would repeat, after any error, an effect that must happen once.
struct RetriedEffectsValidator: WorkflowValidator {
    let catalog: any FunctionCatalog

    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        let files = workflow.files
        return workflow.allTasks.compactMap { task -> Diagnostic? in
            guard case .try(let attempt) = task.action, let retry = attempt.catch.retry, retry.maximumRetries != 0,
                attempt.catch.filter == nil, attempt.catch.when == nil, attempt.catch.exceptWhen == nil,
                retry.when == nil, retry.exceptWhen == nil,
                let call = attempt.tasks.flatMap(\.withDescendants).lazy.compactMap({ onceOnlyCall(in: $0, files) })
                    .first
            else { return nil }
            return workflow.document.diagnostic(
                .warning, id: "retried-once", "this retry repeats '\(call)', which must happen once, after any error",
                hint: "name in 'errors.with' the errors after which a retry is safe",
                at: task.reference.appending("catch").appending("retry"), part: .key)
        }
    }

    private func onceOnlyCall(in task: Workflow.Task, _ files: WorkflowFiles) -> String? {
        guard case .call(let call) = task.action, let function = catalog.signature(call.function),
            call.effect(of: function, files: files) == .once
        else { return nil }
        return call.function
    }
}
