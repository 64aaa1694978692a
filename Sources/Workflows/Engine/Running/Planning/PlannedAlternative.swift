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
