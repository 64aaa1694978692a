final class SecretVault: Sendable {
    /// What expressions read as `$secrets`: real texts and numbers that are secret, or unknowns in a plan.
    let data: Value
    /// The secrets of this run, of the runs around it and of its inner runs.
    let known: KnownSecrets
    private let names: [String]

    /// Takes the secrets that a workflow names from a runner's store; `known` is shared with the runs around it.
    init(for workflow: Workflow, by runner: Runner, sharing known: KnownSecrets) {
        names = workflow.components.secrets
        self.known = known
        data = .object(runner.world.secrets(of: workflow, from: runner.secrets, known))
    }

    /// Fails if one of these secrets is missing (specification: dsl.md, "Secret").
    func demand(_ wanted: some Sequence<String>, in task: JSONPointer?) throws(WorkflowError) {
        for name in wanted where names.contains(name) && data[name] == nil {
            throw WorkflowError(missing: name, in: task)
        }
    }

    /// Whether data of the run can contain secrets.
    var areInUse: Bool { known.areInUse }

    func conceal(_ data: Value) -> Value { known.conceal(data) }
}
