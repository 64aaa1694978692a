/// What happens next to a run.
package enum RunStep: Sendable {
    /// Nothing: it has ended, or somebody else decides.
    case end
    /// A plan of it is made, and people are asked to approve it until then.
    case plan(until: Date)
    /// People are asked by this request instead of the one that they have.
    case ask(ApprovalRequest)
    /// The answers are checked, with the keys of the approvers' tenant.
    case check
    /// Nothing, until its folder changes or this time comes; nil if another process has the run.
    case wait(until: Date?)
    /// It begins, and does what the plan says.
    case begin(ApprovedPlan, RunApproval)
    /// It continues where it ended.
    case resume
    /// It is cancelled, because no one approved it in time.
    case expire
    case refuse(RunObstacle)
}

/// What approved a run.
package enum RunApproval: Sendable {
    case signed([CheckedApproval])
    /// A client's form, which no one signed.
    case form
}

/// Why a run neither begins nor continues, at any door.
package enum RunObstacle: Sendable {
    /// It ran in a sandbox that ended with its process.
    case sandboxEnded
    /// Another run took back what it did, so that what its next tasks need may be gone.
    case undone
    /// A service or an agent's server holds it until its plan is approved.
    case held
    /// It was never approved, and so can never begin.
    case rejected
    case unapproved(ApprovalRefusal)
    /// How its plan is beyond what the server allows.
    case excess([String])
    /// Why its plan is too old.
    case old([String])
    /// Only a person can tell whether an effect happened.
    case unknownEffect
    /// The file of its workflow has changed.
    case changed
    case secrets([String])
    /// It is for another Microsoft Graph than that of the environment.
    case otherGraph
    /// The plan that people were asked about was not kept.
    case planLost
    /// The plan that people were asked about was changed.
    case planChanged

    /// The reason, as a clause about the run.
    package var reason: String {
        switch self {
        case .sandboxEnded: "it ran with '--sandbox', and the sandbox ended with it"
        case .undone: "it was undone: what its next tasks need may be gone"
        case .held: "a service holds it back until its plan is approved"
        case .rejected: "it was never approved"
        case .unapproved(let refusal): refusal.reason
        case .excess(let excesses): "its plan is beyond what this server allows: \(excesses.joined(separator: "; "))"
        case .old(let words): words.joined(separator: "; ")
        case .unknownEffect: "it is unknown whether an effect happened that must happen once"
        case .changed: "its file has changed"
        case .secrets(let names): "the secret '\(names.first ?? "")' is missing"
        case .otherGraph: "it called another Microsoft Graph than that of GRAPHFLOW_GRAPH_URL"
        case .planLost: "its plan was not kept"
        case .planChanged: "its plan was changed"
        }
    }

    /// The reason, and how a person continues the run.
    package func words(toResume run: String) -> String {
        switch self {
        case .unapproved, .held, .rejected:
            "\(reason); with a new plan that was approved: graphflow resume \(run) --plan FILE …"
        case .changed: "\(reason); to accept that: graphflow resume \(run) --accept-changes"
        case .unknownEffect: "\(reason); find out, then: graphflow resume \(run) --assume sent|not-sent"
        case .sandboxEnded, .undone, .excess, .old, .secrets, .otherGraph, .planLost, .planChanged: reason
        }
    }
}
