extension [Workflow.Task] {
    /// The number of inner tasks at every depth that export something.
    var exportCount: Int {
        reduce(0) { count, task in
            count
                + task.withDescendants.count { inner in
                    if case .listen(let listen) = inner.action, listen.iterator?.export.as != nil { return true }
                    return inner.export.as != nil
                }
        }
    }
}

extension Workflow.Task {
    /// Whether the list of tasks can end with it, although others follow.
    var leaves: Bool {
        continuations.contains { directive in
            switch directive {
            case .continue, .task: false
            case .exit, .end: true
            }
        }
    }

    /// The exported names that are evident; nil if it exports nothing, or something computed.
    var exportedNames: [String]? {
        switch definition["export"]?["as"] {
        case .object(let members): return members.keys
        case .string(let text) where !text.contains("${") || Template.isExpression(text):
            return export.as?.expression(at: .root)?.construction?.names
        default: return nil
        }
    }
}
