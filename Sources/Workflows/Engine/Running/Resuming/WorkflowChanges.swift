/// What is different in a workflow that a run goes on with.
///
/// Ends of tasks are kept up to the first task that is different, in the workflow's own list and in those of `do`; any
/// other task with something different inside is performed anew as a whole.
public struct WorkflowChanges: Sendable, Hashable {
    /// The hash of the file as it is now.
    public let digest: String
    /// The first task of each list that is performed anew, with those behind it.
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

    /// What becomes of the tasks, for people.
    public var lines: [String] {
        let kept = kept.map { "kept: \($0)" }
        let anew = anew.map { "performed anew, with all behind it: \($0)" }
        return kept + anew + (self.anew.isEmpty ? ["no task is different"] : [])
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
                    // What is behind it was performed on what it gave.
                    if index + 1 < old.count { anew.append(old[index + 1].reference) }
                } else {
                    anew.append(task.reference)
                }
                return
            }
        }

        /// Whether a task calls a function of the workflow that is different, itself or inside it.
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
