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
