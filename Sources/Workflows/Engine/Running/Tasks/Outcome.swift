/// The output of a task, and where the workflow continues.
struct Outcome: Sendable {
    var value: Value
    var flow: FlowDirective
    /// The context with which a plan continues; nil if it is that of the task, and in a run.
    var context: Value?
    /// The `$authorization` of the call, if it had one.
    var authorization: Value?
    /// The ways to continue if a plan cannot decide between them; nil if there is only one.
    var alternatives: [PlannedAlternative]?

    /// The outputs with which a list of a plan may have been exited, if the plan cannot decide it.
    var exits: [Value] = []

    /// The outcome of a task around this one, which also ends the workflow if this one did.
    func followed(by then: FlowDirective) -> Outcome {
        Outcome(value: value, flow: flow == .end ? .end : then, context: context)
    }

    func withContext(or context: Value) -> Outcome {
        var outcome = self
        outcome.context = self.context ?? context
        return outcome
    }
}

/// One of several ways to continue between which a plan cannot decide.
struct PlannedAlternative: Sendable {
    var title: String
    var certainty: PlannedCertainty
    var flow: FlowDirective
    /// The data with which it continues; nil for the output of the task.
    var value: Value?
    /// The context with which it continues; nil for the current one.
    var context: Value?
}
