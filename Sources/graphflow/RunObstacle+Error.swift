extension RunObstacle {
    /// The error of a person who continues the run at this Microsoft Graph.
    func error(toResume header: Journal.Header, over graph: GraphClient) throws -> any Error {
        let (name, file) = (header.run, header.file ?? header.run)
        switch self {
        case .sandboxEnded:
            return UsageError(
                "the run \(name) cannot be resumed: \(reason)",
                hint: "to try resuming, start 'graphflow sandbox' and run the workflow against it")
        case .undone:
            return UsageError(
                "the run \(name) was undone: what its next tasks need may be gone",
                hint: "run the workflow again with 'graphflow run'")
        case .held:
            return ApprovalRefusal(
                "a service holds the run \(name) back until its plan is approved",
                hint: "graphflow approve \(name), or add '--require-approval' with '--approvers' and '--approval'")
        case .rejected: return ApprovalRefusal("the run \(name) was not approved")
        case .unapproved(let refusal):
            return ApprovalRefusal(
                refusal.reason,
                hint: refusal.hint ?? "make a plan of it, let it be approved, and add '--plan' and '--approval'")
        case .changed: return ChangedWorkflow(run: name, file: file)
        case .secrets(let names): return MissingSecrets(file: file, names: names, command: "graphflow resume \(name)")
        case .otherGraph:
            try graph.demandService(of: header, called: "the run \(name)") { "\($0) graphflow resume \(name)" }
            return UsageError("the run \(name): \(reason)")
        case .excess, .old, .planLost, .planChanged, .unknownEffect:
            return UsageError("the run \(name): \(reason)")
        }
    }
}
