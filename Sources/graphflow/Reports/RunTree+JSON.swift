extension RunTree {
    /// The tasks as JSON, each with its inner tasks as `tasks`.
    /// - Parameters:
    ///   - hasInputs: Whether they have the input of each task.
    ///   - texts: Makes the text of data that a page shows; nil for the data themselves.
    ///   - mostTasks: If there are more tasks than this, repetitions are folded.
    func json(
        now: Date, hasInputs: Bool, texts: ((Value) -> Value)? = nil, foldingFrom mostTasks: Int = .max
    ) -> Value {
        let folds = nodes.count > mostTasks
        // Last to first, because a node comes after the node that contains it.
        var values = [Value?](repeating: nil, count: nodes.count)
        for index in nodes.indices.reversed() {
            let node = nodes[index]
            let repetitions = texts == nil ? nil : self.repetitions(in: node, now: now)
            let shown = folds ? repetitions?.shown ?? node.children : node.children
            var object = node.json(duration: duration(of: node, now: now))
            if texts != nil {
                object["label"] = node.label.map(Value.string)
                // The duration is shorter than the time to the end if the run was interrupted in between.
                if !pauses.isEmpty { object["endedAt"] = node.endedAt.map { .string($0.iso8601) } }
            }
            if hasInputs { object["input"] = node.input.map { texts?($0) ?? $0 } }
            object["output"] = node.output.map { texts?($0) ?? $0 }
            object["error"] = (node.error?.members).map {
                texts == nil ? .object($0) : .object($0).cut(to: RunPage.mostText)
            }
            if !node.notes.isEmpty { object["notes"] = .array(node.notes.map(\.json)) }
            if let repetitions {
                object["repeated"] = [
                    "kind": .string(repetitions.kind), "count": .integer(repetitions.count),
                    "failed": .integer(repetitions.failed),
                    "hidden": .integer(folds ? repetitions.hidden : repetitions.forgotten),
                ]
            }
            let inside = shown.map { values[$0] ?? .null }
            if !inside.isEmpty || node.task == nil { object["tasks"] = .array(inside) }
            // The values of children are now in the value of their parent.
            for child in node.children { values[child] = nil }
            values[index] = .object(object)
        }
        return values[0]?["tasks"] ?? []
    }
}

extension RunTree.Node {
    fileprivate func json(duration: Double) -> Object {
        var object: Object = [
            "name": .string(name), "state": .string(state.rawValue), "startedAt": .string(startedAt.iso8601),
            "duration": .double((duration * 1_000).rounded() / 1_000), "attempts": .integer(attempt),
        ]
        if let task { object["task"] = .string(task.description) } else { object["run"] = .string(run) }
        if !occurrence.isEmpty { object["occurrence"] = .string(occurrence) }
        object["effect"] = (effect?.rawValue).map(Value.string)
        return object
    }
}

extension RunTree.Node.Note {
    fileprivate var json: Value {
        var object: Object = ["kind": .string(kind.rawValue), "time": .string(time.iso8601)]
        if !text.isEmpty { object["text"] = .string(text) }
        object["attempt"] = attempt.map(Value.integer)
        object["delay"] = (delay?.seconds).map { .double($0) }
        return .object(object)
    }
}
