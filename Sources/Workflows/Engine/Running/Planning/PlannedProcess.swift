/// A program that a dry run would have started.
public struct PlannedProcess: Sendable {
    /// The task that runs it.
    public let task: JSONPointer
    /// The words of the call as a user would write it, with drawings of unknowns.
    public let call: [String]
    /// The standard input, with drawings of unknowns; nil for none.
    public let standardInput: String?
    /// The names of the environment variables that the workflow sets.
    public let variables: [String]
    /// Whether the task waits for its end.
    public let isAwaited: Bool
    /// What the program is started with, with its unknowns.
    package let start: ProgramStart
    /// What starting it does.
    package let effects: [Effect]
    /// The pattern of its task's occurrences; see ``PlannedTask/occurrence``.
    package let occurrence: String
}

/// A program's arguments in the workflow, before they become texts.
package struct ProgramStart: Sendable {
    /// The shell's command, the script, or the script's file.
    var code = Value.null
    var arguments = Value.null
    var environment = Value.null
    var standardInput = Value.null

    var all: Value { [code, arguments, environment, standardInput] }
}

extension PlannedProcess {
    /// Creates a planned program from one whose texts have tokens for unknowns.
    init(
        _ program: ChildProgram, of task: ActiveTask, at occurrence: String, isAwaited: Bool, _ unknowns: UnknownTokens
    ) {
        func drawn(_ text: String) -> String { Value.drawn(unknowns.parts(Data(text.utf8))) }
        var start = program.start
        start.code = unknowns.marked(start.code)
        start.arguments = unknowns.marked(start.arguments)
        start.environment = unknowns.marked(start.environment)
        start.standardInput = unknowns.marked(start.standardInput)
        self.init(
            task: task.reference, call: program.shown.map(drawn),
            standardInput: program.standardInput.map { Value.drawn(unknowns.parts($0)) },
            variables: program.givenVariables.map(drawn), isAwaited: isAwaited, start: start,
            effects: program.effects.map { $0.mapping(unknowns.marked) }, occurrence: occurrence)
    }
}
