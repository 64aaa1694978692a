/// What a run would do, found by performing it without a network.
///
/// Symbols such as `‹upload.id›` stand for what only the service knows; a condition that depends on one is not decided, and
/// the tasks behind it are marked with it.
public struct Plan: Sendable {
    /// How the plan was made.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// Nothing was sent.
        case dry
        /// Requests that only read were sent, and their answers are real.
        case read
    }

    /// The workflow that was planned.
    public var workflow: Workflow
    /// Its input.
    public var input: Value
    /// How the plan was made.
    public var mode: Mode
    /// The tasks as they would be performed.
    public var tasks: [PlannedTask]
    /// What the workflow would give; what only the service knows is symbolic, as `‹upload.id›`.
    public var output: Value
    /// The permissions that the token has; nil where the plan did not ask, or nobody knows.
    public var grantedPermissions: [String]?
    /// Whether the token is a program's own, so that the application permissions count.
    public var isApplication = false
    /// How the values of symbols follow from other data, by the symbols, as far as that is known.
    package var derivations: [String: PlannedDerivation] = [:]

    /// Every task at every depth, in the order in which they stand in the plan.
    public var allTasks: [PlannedTask] { tasks.flatMap(\.withDescendants) }

    /// Everything that a run would do to the world, in the order in which it would.
    public var steps: [PlannedStep] { allTasks.flatMap(\.steps) }

    /// Every request in the order in which a run would send it.
    public var requests: [PlannedRequest] { steps.requests }

    /// What the plan comes to: effects, permissions, requests, time.
    public var summary: PlanSummary { PlanSummary(self) }
}
