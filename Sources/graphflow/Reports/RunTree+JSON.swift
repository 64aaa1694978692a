import Essentials
import Workflows

extension RunTree {
    /// The tasks as JSON, each with its inner tasks as `tasks`.
    func json(now: Date) -> Value {
        // Last to first, because a node comes after the node that contains it.
        var values = [Value](repeating: .null, count: nodes.count)
        for index in nodes.indices.reversed() {
            values[index] = nodes[index].json(now: now, nodes[index].children.map { values[$0] })
        }
        return values[0]["tasks"] ?? []
    }
}

extension RunTree.Node {
    fileprivate func json(now: Date, _ inside: [Value]) -> Value {
        let length = (endedAt ?? now).timeIntervalSince(startedAt)
        var object: Object = [
            "name": .string(name), "state": .string(state.rawValue), "startedAt": .string(startedAt.iso8601),
            "duration": .double((length * 1_000).rounded() / 1_000), "attempts": .integer(attempt),
        ]
        if let task { object["task"] = .string(task.description) } else { object["run"] = .string(run) }
        if !occurrence.isEmpty { object["occurrence"] = .string(occurrence) }
        object["effect"] = (effect?.rawValue).map(Value.string)
        object["output"] = output
        object["error"] = (error?.members).map(Value.object)
        if !notes.isEmpty { object["notes"] = .array(notes.map(\.json)) }
        if !inside.isEmpty || task == nil { object["tasks"] = .array(inside) }
        return .object(object)
    }
}

extension RunTree.Node.Note {
    fileprivate var json: Value {
        var object: Object = ["kind": .string(kind.rawValue), "time": .string(time.iso8601)]
        if !text.isEmpty { object["text"] = .string(text) }
        object["attempt"] = attempt.map(Value.integer)
        object["delay"] = (delay?.seconds).map(Value.double)
        return .object(object)
    }
}
