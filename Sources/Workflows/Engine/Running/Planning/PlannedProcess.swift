import Foundation

/// A program that a dry run would have started.
public struct PlannedProcess: Sendable {
    /// The task that runs it.
    public let task: JSONPointer
    /// The call as a person would write it, word by word.
    public let call: [String]
    /// What it would read from standard input; nil for nothing.
    public let standardInput: String?
    /// The names of the variables that the workflow gives it, beside those that every program gets.
    public let variables: [String]
    /// Whether the task waits for its end.
    public let isAwaited: Bool
}

extension PlannedProcess {
    init(_ program: ChildProgram, of task: Workflow.Task, isAwaited: Bool) {
        self.init(
            task: task.reference, call: program.shown,
            standardInput: program.standardInput.map { String(decoding: $0, as: UTF8.self) },
            variables: program.givenVariables, isAwaited: isAwaited)
    }
}
