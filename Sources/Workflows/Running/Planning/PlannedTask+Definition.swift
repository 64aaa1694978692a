extension PlannedTask {
    /// Describes a task that begins.
    init(_ task: Workflow.Task, _ certainty: PlannedCertainty) {
        reference = task.reference
        name = task.name
        kind = Kind(task.action)
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

extension PlannedTask.Kind {
    /// The kind of an action.
    init(_ action: Workflow.Action) {
        self =
            switch action {
            case .call: .call
            case .do: .do
            case .emit: .emit
            case .for: .for
            case .fork: .fork
            case .listen: .listen
            case .raise: .raise
            case .run: .run
            case .set: .set
            case .switch: .switch
            case .try: .try
            case .wait: .wait
            }
    }
}
