extension Workflow {
    /// The tasks that run containers, including those of the workflows it runs.
    func containers(_ library: WorkflowLibrary) -> [(workflow: Workflow, task: JSONPointer)] {
        ([self] + library.workflows(reachableFrom: self)).flatMap { workflow in
            workflow.allTasks.filter(\.runsContainer).map { (workflow, $0.reference) }
        }
    }

    /// The findings about containers, including those of the workflows it runs, if nothing can run them.
    func containerFindings(_ environment: [String: String], _ library: WorkflowLibrary) -> [Diagnostic] {
        let found = containers(library)
        guard !found.isEmpty, ContainerEngine(environment) == nil else { return [] }
        let missing = ContainerEngine.missing(environment)
        return found.map { workflow, task in
            workflow.document.diagnostic(
                id: "container", missing.message, hint: missing.hint,
                at: JSONPointer(task.tokens + ["run", "container"]), part: .key)
        }
    }
}

extension Workflow.Task {
    fileprivate var runsContainer: Bool {
        guard case .run(let process) = action, case .container = process.kind else { return false }
        return true
    }
}
