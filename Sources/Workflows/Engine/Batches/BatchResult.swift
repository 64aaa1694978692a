/// How an item ended, with its output or error: a line of the batch's output.
package struct BatchResult: Sendable {
    package let entry: BatchEntry
    package let output: Value?
    /// The error of an item that is not completed.
    package let error: Object?

    init(_ entry: BatchEntry, output: Value) { (self.entry, self.output, error) = (entry, output, nil) }

    init(_ entry: BatchEntry, error: WorkflowError) {
        var entry = entry
        entry.error = error.members.filter { ["type", "status", "title", "detail"].contains($0.key) }
        (self.entry, output, self.error) = (entry, nil, error.members)
    }

    /// The line, without its line end.
    package var json: String {
        var members: Object = ["key": entry.key, "state": .string(entry.state.rawValue)]
        members["output"] = output
        members["error"] = error.map(Value.object)
        members["run"] = .string(entry.run)
        return Value.object(members).json()
    }
}
