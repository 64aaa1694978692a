extension Journal {
    /// The workflow that its run continues with: that of its file as it is now, or of its text if it had no file.
    /// - Throws: ``InvalidWorkflow`` if that cannot be read or has errors.
    package var currentWorkflow: Workflow {
        get throws {
            guard let file = header.file else {
                return try Workflow(text: String(decoding: try workflowText, as: UTF8.self))
            }
            let (checked, findings) = Workflow.check(contentsOf: URL(fileURLWithPath: file))
            guard let workflow = checked else { throw InvalidWorkflow(diagnostics: findings) }
            return workflow
        }
    }
}
