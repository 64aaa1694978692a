struct ChangedWorkflow: Error {
    let run: String
    let file: String
}

struct RepeatedEffects: Error {
    let run: String
    let count: Int
    let options: String
}

/// Unknown outcomes that the user must find out before the run can continue.
struct OpenQuestion: Error {
    let effects: UnsettledEffects
    let diagnostics: [Diagnostic]

    init(_ effects: UnsettledEffects, of workflow: Workflow) {
        self.effects = effects
        diagnostics = effects.tasks.map { task in
            let name = task.tokens.last ?? "workflow"
            return workflow.document.diagnostic(
                id: "unknown-outcome",
                "'\(PlainText.exact(name, limit: 100))' must happen once and was in progress when the run ended; it is "
                    + "unknown whether it happened", at: task, part: .key)
        }
    }
}
