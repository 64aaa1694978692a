extension Workflow {
    /// All findings of the workflow, checked against the default catalog.
    public func validate() -> [Diagnostic] { validate(with: Catalog.default) }

    /// Reads a workflow file and validates it with the default catalog.
    /// - Returns: The workflow, nil if it cannot be run, and all findings in the order of the file.
    public static func check(contentsOf url: URL) -> (workflow: Workflow?, diagnostics: [Diagnostic]) {
        check(contentsOf: url, with: Catalog.default)
    }

    /// The JSON Schema of workflow files that call the functions of the default catalog.
    public static func fileSchema() -> Value { fileSchema(for: Catalog.default) }
}

extension WorkflowDrawing {
    /// Draws a workflow that calls the functions of the default catalog.
    public init(_ workflow: Workflow) { self.init(workflow, catalog: Catalog.default) }
}
