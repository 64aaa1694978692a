/// The changes of a workflow with which a run is resumed.
///
/// Ends of tasks are kept up to the first changed task, in the workflow's own list and in those of `do`; any other task
/// with a change inside is performed again as a whole.
public struct WorkflowChanges: Sendable, Hashable {
    /// The hash of the changed file.
    public let digest: String
    /// The first task of each list that is performed again, with all tasks after it.
    public let anew: [JSONPointer]
    /// The tasks before those, whose ends are kept.
    public let kept: [JSONPointer]

    /// Compares two versions of a workflow.
    public init(from before: Workflow, to after: Workflow, digest: String) {
        self.digest = digest
        var comparison = Comparison(before.components.functions, after.components.functions)
        comparison.compare(before.tasks, after.tasks, at: JSONPointer(["do"]))
        anew = comparison.anew
        kept = comparison.kept
    }

    /// What happens to the tasks, one line each, for the user.
    public var lines: [String] {
        let kept = kept.map { "kept: \($0)" }
        let anew = anew.map { "performed again, with all tasks after it: \($0)" }
        return kept + anew + (self.anew.isEmpty ? ["no task was changed"] : [])
    }

    private struct Comparison {
        private let before: [String: Workflow.Task]
        private let after: [String: Workflow.Task]
        private(set) var anew: [JSONPointer] = []
        private(set) var kept: [JSONPointer] = []

        init(_ before: [String: Workflow.Task], _ after: [String: Workflow.Task]) {
            self.before = before
            self.after = after
        }

        mutating func compare(_ old: [Workflow.Task], _ new: [Workflow.Task], at list: JSONPointer) {
            for (index, task) in old.enumerated() {
                guard new.indices.contains(index), new[index].name == task.name else {
                    anew.append(task.reference)
                    return
                }
                let other = new[index]
                if task.definition == other.definition, !callsChange(task) {
                    kept.append(task.reference)
                    continue
                }
                if case .do(let inside) = task.action, case .do(let others) = other.action,
                    task.definition.without("do") == other.definition.without("do")
                {
                    compare(inside, others, at: task.reference.appending("do"))
                    // The tasks after it depended on its output.
                    if index + 1 < old.count { anew.append(old[index + 1].reference) }
                } else {
                    anew.append(task.reference)
                }
                return
            }
        }

        /// Whether a task or a task inside it calls a function of the workflow that was changed.
        private func callsChange(_ task: Workflow.Task, depth: Int = 0) -> Bool {
            guard depth < 100 else { return true }
            return task.withDescendants.contains { task in
                guard case .call(let call) = task.action, let old = before[call.function] ?? after[call.function] else {
                    return false
                }
                guard let new = after[call.function], before[call.function] != nil else { return true }
                return old.definition != new.definition || callsChange(old, depth: depth + 1)
            }
        }
    }
}

extension Value {
    fileprivate func without(_ name: String) -> Value {
        guard case .object(var members) = self else { return self }
        members[name] = nil
        return .object(members)
    }
}
