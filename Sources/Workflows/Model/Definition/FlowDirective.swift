/// Where a workflow continues after a task.
public enum FlowDirective: Sendable, Hashable {
    /// At the next task of the list.
    case `continue`
    /// After the list that contains the task.
    case exit
    /// Nowhere: the workflow is complete.
    case end
    /// At the task of that name in the same list.
    case task(String)

    /// Reads a directive as the file has it.
    public init(_ text: String) {
        switch text {
        case "continue": self = .continue
        case "exit": self = .exit
        case "end": self = .end
        default: self = .task(text)
        }
    }
}

extension FlowDirective: CustomStringConvertible {
    /// The directive as the file has it.
    public var description: String {
        switch self {
        case .continue: "continue"
        case .exit: "exit"
        case .end: "end"
        case .task(let name): name
        }
    }
}

extension Workflow.Task {
    /// Where the workflow can continue after the task.
    package var continuations: [FlowDirective] {
        switch action {
        case .switch(let cases): [then] + cases.map(\.then)
        case .try(let attempt): [then] + [attempt.catch.then].compactMap(\.self)
        default: [then]
        }
    }

    /// Whether the task can jump to a named task: tasks of its list can then be performed more than once.
    package var canJump: Bool {
        continuations.contains { if case .task = $0 { true } else { false } }
    }
}
