/// Finds defaults of the input's schema that the schema itself refuses.
struct InputDefaultsValidator: WorkflowValidator {
    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        guard let schema = workflow.input.schema, let document = schema.document else { return [] }
        return SchemaDefaults(document).violations.map { place, violation in
            workflow.document.diagnostic(
                .warning, id: "default", violation.sentence(about: "the default"), hint: violation.hint,
                at: schema.place(of: place))
        }
    }
}

extension Input {
    /// The workflow's input; its schema's defaults fill what it does not have.
    package func filled(_ input: Value) -> Value {
        guard let document = schema?.document else { return input }
        return SchemaDefaults(document).filled(input)
    }
}
