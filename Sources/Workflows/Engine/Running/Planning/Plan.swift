/// What a run would do, found by performing it without a network.
///
/// Unknowns such as `‹upload.id›` represent values that only the service knows. A condition that depends on one is not
/// decided, and its tasks are marked with it.
public struct Plan: Sendable {
    /// How the plan was made.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// Nothing was sent.
        case dry
        /// Requests that only read were sent, and their responses are real.
        case read
    }

    /// The workflow that was planned.
    public var workflow: Workflow
    /// Its input.
    public var input: Value
    /// How the plan was made.
    public var mode: Mode
    /// When the plan was made, which is `now` in its expressions and in those of a run that follows it.
    public var plannedAt: Date
    /// The tasks in the order of a run.
    public var tasks: [PlannedTask]
    /// The workflow's output, with unknowns such as `‹upload.id›`.
    public var output: Value
    /// The permissions of the token; nil if they are unknown or the plan did not ask.
    public var grantedPermissions: [String]?
    /// Whether the token is an application's own: application permissions apply.
    public var isApplication = false

    /// The object id of the person or application that made the plan; nil if unknown.
    public var plannedBy: String?

    /// The run of which this is the rest; nil for a whole run.
    public internal(set) var continuedRun: String?

    /// Whose account the plan was made for, and which addresses are inside.
    public var perspective = EffectPerspective()

    /// What the plan may leave out, each in one sentence without a full stop; empty if it is complete.
    public var gaps: [String] = []

    /// The number of tasks that were planned to make it, each as often as it was.
    package var effort = 0
    package var markedOutput = Value.null
    /// The unknowns with several possible values, whose first one is expected unless something fails.
    package var expected: Set<Unknown> = []
    package var unknowns = UnknownTokens()
    /// The SHA-256 of each file that the plan reads, by its path in the workflow's folder.
    public var files: [String: String] = [:]
    /// Whether these are all files in the folder, because only a run knows which of them it reads.
    var hasAllFiles = false

    /// The environment variables that programs get in addition to the usual ones, with their values.
    package var variables: [String: String] = [:]
    /// The files that are this process's and not the workflow's.
    var ownFiles = OwnFiles()

    /// The notifications after the run has ended.
    var notifications: [Effect] = []

    /// Whether every request and program that a run can reach is in it.
    ///
    /// Repetitions of a failed request, and requests that find out what became of one, are not counted.
    public var isComplete: Bool { gaps.isEmpty }

    /// Every task at every depth, in the order of the plan.
    public var allTasks: [PlannedTask] { tasks.flatMap(\.withDescendants) }

    /// Every request and program of a run, in order.
    public var steps: [PlannedStep] { allTasks.flatMap(\.steps) }

    /// Every request of a run, in order.
    public var requests: [PlannedRequest] { steps.requests }

    /// The plan's effects, permissions, requests and times.
    public var summary: PlanSummary { PlanSummary(self) }

    /// The JSON Schema of ``value``.
    public static var schema: Value { (try? Value(json: Data(PackageResources.plan_schema_json))) ?? true }
}
