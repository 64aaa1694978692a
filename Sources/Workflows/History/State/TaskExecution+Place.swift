extension TaskExecution {
    /// A key that sorts executions for users.
    package var order: String { "\(task) \(occurrence)" }

    /// The place of one item of a `forEach`, where its run is.
    package func item(_ number: String) -> TaskExecution {
        TaskExecution(task, (occurrence.isEmpty ? "" : occurrence + "/") + "item:" + number)
    }

    /// The `forEach` of which this is the place of an item; nil for any other execution.
    package var aroundItem: TaskExecution? {
        let last = lastRepetition
        guard last.hasPrefix("item:") else { return nil }
        return TaskExecution(task, String(occurrence.dropLast(last.count).dropLast()))
    }

    /// The number of the item whose place this is, from 0; nil for any other execution.
    package var item: Int? {
        let last = lastRepetition
        return last.hasPrefix("item:") ? Int(last.dropFirst(5)) : nil
    }

    private var lastRepetition: Substring {
        let slash = occurrence.utf8.lastIndex(of: UInt8(ascii: "/"))
        return occurrence[(slash.map(occurrence.utf8.index(after:)) ?? occurrence.startIndex)...]
    }

    package var isBranch: Bool {
        let tokens = task.tokens
        return tokens.count > 4 && tokens[tokens.count - 3] == "branches" && tokens[tokens.count - 4] == "fork"
    }
}

extension JSONPointer {
    package var list: JSONPointer { JSONPointer(Array(tokens.dropLast(2))) }

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
