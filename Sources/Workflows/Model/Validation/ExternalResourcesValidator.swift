/// Finds scripts outside the document that are not available.
///
/// Specification: dsl-reference.md, "External Resource". Schemas are checked when the workflow is read, documents of
/// OpenAPI by their function.
struct ExternalResourcesValidator: WorkflowValidator {
    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        let files = workflow.files
        return workflow.allTasks.compactMap { task in
            guard let endpoint = task.script?.endpoint, let text = endpoint.literal else { return nil }
            do {
                if case .file(let path) = try ResourceAddress(text, files: files, plainHosts: nil) {
                    try files.locate(path)
                }
                return nil
            } catch {
                let (id, message, hint) = ResourceAddress.finding(of: error)
                return workflow.document.diagnostic(id: id, message, hint: hint, at: endpoint.pointer)
            }
        }
    }
}
