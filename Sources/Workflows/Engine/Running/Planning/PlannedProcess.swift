import Foundation

/// A program that a dry run would have started.
public struct PlannedProcess: Sendable {
    /// The task that runs it.
    public let task: JSONPointer
    /// The words of the call as a user would write it.
    public let call: [String]
    /// The standard input; nil for none.
    public let standardInput: String?
    /// The names of the environment variables that the workflow sets.
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
