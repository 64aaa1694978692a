struct ReferencedWorkflowsValidator: WorkflowValidator {
    let library: WorkflowLibrary

    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        workflow.allTasks.compactMap { task in
            guard let reference = task.action.workflow else { return nil }
            var place = JSONPointer(task.reference.tokens + ["run", "workflow"])
            if case .call(let call) = task.action {
                guard call.inline == nil, workflow.components.functions[call.function] == nil else { return nil }
                place = JSONPointer(task.reference.tokens + ["with", "workflow"])
            }
            do throws(WorkflowLibrary.Problem) {
                _ = try library.workflow(reference)
                return nil
            } catch {
                switch error {
                case .notFound(let others):
                    let hint = hint(for: reference, among: others, isInFolder: workflow.folder != nil)
                    return workflow.document.diagnostic(
                        id: "unknown-workflow", "there is no workflow '\(reference.description)' next to this one",
                        hint: hint, at: place)
                case .ambiguous(let files):
                    return workflow.document.diagnostic(
                        id: "ambiguous-workflow",
                        "'\(reference.description)' is the name of more than one workflow: \(files.quoted)",
                        hint: "give one of them another version or name", at: place)
                case .invalid(let file, _):
                    return workflow.document.diagnostic(
                        id: "invalid-workflow", "'\(reference.description)' in '\(file)' cannot be run",
                        hint: "fix the errors in that file", at: place)
                }
            }
        }
    }

    private func hint(
        for reference: Workflow.Process.Reference, among others: [Workflow.Process.Reference], isInFolder: Bool
    ) -> String? {
        guard isInFolder else { return "run the workflow from a file: other workflows are found in its folder" }
        let versions = others.filter { $0.namespace == reference.namespace && $0.name == reference.name }
            .map(\.version).sorted()
        if !versions.isEmpty { return "there is version \(versions.quoted)" }
        return Diagnostic.didYouMean(reference.description, among: others.map(\.description).sorted())
            ?? "workflows are found in the folder of this file, by their 'document'"
    }
}

extension WorkflowLibrary {
    /// The findings about the workflows that a workflow runs, file by file.
    func diagnostics(ofThoseReachableFrom workflow: WorkflowOutline, with catalog: any FunctionCatalog) -> [Diagnostic]
    {
        var all: [Diagnostic] = []
        var files: Set<String> = [workflow.document.name]
        var reached: Set<Workflow.Process.Reference> = []
        var open = workflow.allTasks.references
        while let reference = open.popLast() {
            guard reached.insert(reference).inserted else { continue }
            do throws(Problem) {
                let workflow = WorkflowOutline(try self.workflow(reference))
                guard files.insert(workflow.document.name).inserted else { continue }
                all += workflow.diagnostics(with: catalog, self)
                open += workflow.allTasks.references
            } catch {
                if case .invalid(_, let error) = error { all += error.diagnostics }
            }
        }
        return all
    }
}
