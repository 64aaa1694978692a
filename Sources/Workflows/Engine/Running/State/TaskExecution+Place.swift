extension TaskExecution {
    /// A key that sorts executions for users.
    var order: String { "\(task) \(occurrence)" }

    /// Whether the task is a branch of a `fork`.
    package var isBranch: Bool {
        let tokens = task.tokens
        return tokens.count > 4 && tokens[tokens.count - 3] == "branches" && tokens[tokens.count - 4] == "fork"
    }
}

extension JSONPointer {
    /// The list of the task at this pointer.
    var list: JSONPointer { JSONPointer(Array(tokens.dropLast(2))) }

    /// Reads the task in a part of an occurrence.
    package init?(caller part: Substring) {
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
