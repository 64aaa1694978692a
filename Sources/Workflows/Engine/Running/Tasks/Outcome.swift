/// What a task gave, and where the workflow goes on.
struct Outcome: Sendable {
    var value: Value
    var flow: FlowDirective
    /// What the call proved who asks with, where it did.
    var authorization: Value?
    /// The ways on where a plan cannot decide between them; nil where there is one.
    var alternatives: [PlannedAlternative]?

    /// Where a task goes on that has other tasks inside it: nowhere if they ended the workflow.
    func followed(by then: FlowDirective) -> Outcome {
        Outcome(value: value, flow: flow == .end ? .end : then)
    }
}

/// One way on from a task, where a plan cannot decide between several.
struct PlannedAlternative: Sendable {
    /// What people call it.
    var title: String
    /// When it is taken.
    var certainty: PlannedCertainty
    /// Where it leads.
    var flow: FlowDirective
    /// The data with which it goes on; nil for the output of the task.
    var value: Value?
    /// The context with which it goes on; nil for the one there is.
    var context: Value?
}
