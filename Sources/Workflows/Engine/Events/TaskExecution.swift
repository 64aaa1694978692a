/// One performance of a task in a run.
package struct TaskExecution: Sendable, Hashable {
    /// The task.
    package var task: JSONPointer
    /// The path of the repetitions around it; see ``Event/occurrence``.
    package var occurrence: String

    /// The pseudo task that all tasks of a run are inside of.
    package static let run = TaskExecution(.root)

    /// Names a performance.
    package init(_ task: JSONPointer, _ occurrence: String = "") {
        self.task = task
        self.occurrence = occurrence
    }
}
