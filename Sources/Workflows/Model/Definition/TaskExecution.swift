/// One execution of a task in a run.
package struct TaskExecution: Sendable, Hashable, CustomStringConvertible {
    package var task: JSONPointer
    /// The path of the repetitions around it, the outermost first.
    package var occurrence: String

    /// The pseudo task that contains all tasks of a run.
    package static let run = TaskExecution(.root)

    package init(_ task: JSONPointer, _ occurrence: String = "") {
        self.task = task
        self.occurrence = occurrence
    }

    /// The task's pointer, and after `@` its rounds, if there are any: `/do/1/each/do/0/ask@for:37`.
    package var description: String { occurrence.isEmpty ? "\(task)" : "\(task)@\(occurrence)" }

    /// Hashes the task's name instead of its whole place: every event is looked up, and most names differ.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(task.tokens.last)
        hasher.combine(occurrence)
    }
}
