/// Tasks inside a task of a plan that are performed one after the other.
package struct PlannedBranch: Sendable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The task's own tasks.
        case tasks
        /// One of several lists that are performed concurrently.
        case branch
        case round
        case item
        /// One of several ways to continue after a task, up to where they meet or to the end of the list.
        case alternative
        /// What follows where several ways meet, if one may have left the list before.
        case rest
        case handler = "catch"
    }

    /// How a branch ends before the end of its list.
    package enum End: Sendable {
        case workflow
        case fault(WorkflowError)
        /// It jumps back to a planned task with this name.
        case again(String)
    }

    package var kind: Kind
    /// A case's name, a round's element, an item's number and key, or the errors that lead here; else empty.
    package var title: String
    package var certainty: PlannedCertainty
    package var tasks: [PlannedTask] = []
    /// How it ends; nil for the end of its list.
    package var end: End?

    init(_ kind: Kind, _ title: String = "", _ certainty: PlannedCertainty = .certain) {
        self.kind = kind
        self.title = title
        self.certainty = certainty
    }

    /// How often all of it happens; nil if that depends on a run.
    var repetitions: Int? {
        let isSure =
            end == nil
            && tasks.allSatisfy { task in
                task.certainty == .certain
                    && task.branches.allSatisfy { $0.repetitions != nil && $0.kind != .alternative }
            }
        return isSure ? certainty.repetitions : nil
    }
}
