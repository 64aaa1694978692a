/// Tasks inside a task of a plan that are performed one after the other.
package struct PlannedBranch: Sendable {
    /// Why the tasks belong together.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The task's own tasks.
        case tasks
        /// One of several lists that are performed concurrently.
        case branch
        /// A round of a loop.
        case round
        /// An item of a `forEach`.
        case item
        /// One of several ways to continue after a task, up to the end of the list.
        case alternative
        /// The handler of an error.
        case handler = "catch"
    }

    /// How a branch ends before the end of its list.
    package enum End: Sendable {
        /// The workflow is complete.
        case workflow
        /// An error that is not caught in it.
        case fault(WorkflowError)
        /// It goes back to a task that is already planned, by its name.
        case again(String)
    }

    /// Why the tasks belong together.
    package var kind: Kind
    /// A case's name, a round's element, an item's number and key, or the errors that lead here; empty for other branches.
    package var title: String
    /// Whether it is certain to be performed.
    package var certainty: PlannedCertainty
    /// The tasks in order.
    package var tasks: [PlannedTask] = []
    /// How it ends; nil for the end of its list.
    package var end: End?

    init(_ kind: Kind, _ title: String = "", _ certainty: PlannedCertainty = .certain) {
        self.kind = kind
        self.title = title
        self.certainty = certainty
    }
}
