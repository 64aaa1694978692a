extension TaskExecution {
    /// What sorts executions in the order in which people read them.
    var order: String { "\(task) \(occurrence)" }

    /// Whether the task is a branch of a `fork`.
    var isBranch: Bool { task.tokens.suffix(4).prefix(2) == ["fork", "branches"] }
}

extension JSONPointer {
    /// The list that the task that this points at is in.
    var list: JSONPointer { JSONPointer(Array(tokens.dropLast(2))) }

    /// Reads the task back that a part of an occurrence names.
    init?(caller part: Substring) {
        guard part.hasPrefix("call:") || part.hasPrefix("extend:"), let colon = part.firstIndex(of: ":") else {
            return nil
        }
        func unescaped(_ text: Substring) -> String {
            String(text).replacing("~1", with: "/").replacing("~0", with: "~")
        }
        self.init(
            unescaped(part[part.index(after: colon)...]).split(separator: "/").map { unescaped($0) })
    }
}

extension GraphEvent {
    /// Whether what follows must be done once, while what came before could be done again.
    var isCommitted: Bool {
        switch kind {
        case .drafted, .committing: true
        case .retrying, .held, .uploaded: false
        }
    }
}

extension Event.Kind {
    /// Whether this says nothing that a run needs to know of itself while it goes on.
    var isForOthersOnly: Bool {
        switch self {
        case .taskCreated, .iterationStarted: true
        default: false
        }
    }

    /// Whether what a task did so far in its rounds does not count any more.
    var endsRound: Bool {
        switch self {
        case .iterationStarted, .iterationCompleted, .taskRetried: true
        default: false
        }
    }
}
