extension PlannedTask {
    /// Describes a task that begins.
    init(_ task: Workflow.Task, _ certainty: PlannedCertainty) {
        reference = task.reference
        name = task.name
        kind = task.action.kind
        self.certainty = certainty
        timeout = task.timeout?.known
        switch task.action {
        case .call(let call): subject = call.function
        case .run(let process):
            if case .workflow(let workflow, _) = process.kind { subject = workflow.description }
        case .wait(let duration): wait = duration.known
        default: break
        }
    }
}
