/// Tasks inside a task of a plan, which are performed one after the other.
public struct PlannedBranch: Sendable {
    /// Why the tasks belong together.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// What the task consists of.
        case tasks
        /// One of several lists that are performed side by side.
        case branch
        /// A round of a loop.
        case round
        /// One way on from a task that chooses, up to the end of the list.
        case alternative
        /// What is done instead when something fails.
        case handler = "catch"
    }

    /// How a branch ends, where that is not at the end of its list.
    public enum End: Sendable {
        /// The workflow is complete.
        case workflow
        /// An error that nothing in it catches.
        case fault(WorkflowError)
        /// It goes back to a task of that name, where the plan has been.
        case again(String)
        /// It was not looked into, because there are too many ways.
        case cut
    }

    /// Why the tasks belong together.
    public var kind: Kind
    /// What people call it: a case's name, a round's element, the errors that lead there; empty where nothing is to be said.
    public var title: String
    /// Whether it is performed for certain.
    public var certainty: PlannedCertainty
    /// The tasks in order.
    public var tasks: [PlannedTask] = []
    /// How it ends; nil for at the end of its list.
    public var end: End?

    init(_ kind: Kind, _ title: String = "", _ certainty: PlannedCertainty = .certain) {
        self.kind = kind
        self.title = title
        self.certainty = certainty
    }
}
