/// The changes of a workflow with which a run is resumed.
///
/// In each list, ends of tasks are kept up to the first changed task. A loop that has not ended keeps its completed
/// rounds. A call is kept if only what is applied to its result has changed.
public struct WorkflowChanges: Sendable, Hashable {
    /// The hash of the changed file.
    public let digest: String
    /// The first place of each list that is performed again, with all tasks after it: a task, or a member of one.
    public let anew: [JSONPointer]
    /// The tasks before those, whose ends are kept.
    public let kept: [JSONPointer]

    /// Compares two versions of a workflow.
    public init(from before: Workflow, to after: Workflow, digest: String) {
        self.digest = digest
        var comparison = Comparison(before.components.functions, after.components.functions)
        comparison.compare(before.tasks, after.tasks)
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

        mutating func compare(_ old: [Workflow.Task], _ new: [Workflow.Task]) {
            for (index, task) in old.enumerated() {
                guard new.indices.contains(index), new[index].name == task.name else {
                    anew.append(task.reference)
                    return
                }
                let before = anew.count
                compare(task, new[index])
                guard anew.count > before else { continue }
                // The tasks after it depended on its output.
                if index + 1 < old.count, anew.last != task.reference { anew.append(old[index + 1].reference) }
                return
            }
            // Added tasks are performed even if the list had ended.
            if new.count > old.count { anew.append(new[old.count].reference) }
        }

        private mutating func compare(_ task: Workflow.Task, _ other: Workflow.Task) {
            guard task.definition != other.definition || callsChange(task) else { return kept.append(task.reference) }
            let lists = task.children.count == other.children.count ? Array(zip(task.children, other.children)) : []
            guard task.definition.action == other.definition.action, !lists.isEmpty || !callsChange(task) else {
                return anew.append(task.reference)
            }
            for (old, new) in lists { compare(old, new) }
            // What is applied to the result can be applied again without the call.
            for member in ["catch", "output", "export", "then"] {
                let (old, new) = (task.definition[member], other.definition[member])
                guard old?.withoutLists != new?.withoutLists else { continue }
                return anew.append(task.reference.appending(member))
            }
        }

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
    /// A task's definition without its inner tasks, and without what is applied to its result.
    fileprivate var action: Value {
        ["catch", "output", "export", "then", "timeout", "metadata", "do", "try"].reduce(withoutLists) {
            $0.without($1)
        }
    }

    /// The value without the lists of tasks inside its members.
    fileprivate var withoutLists: Value {
        guard case .object(var members) = without("do") else { return self }
        members["fork"] = members["fork"]?.without("branches")
        members["foreach"] = members["foreach"]?.without("do")
        return .object(members)
    }

    private func without(_ name: String) -> Value {
        guard case .object(var members) = self else { return self }
        members[name] = nil
        return .object(members)
    }
}

extension Event.Resumption {
    init(_ changes: WorkflowChanges?, from place: Event.Parent?) {
        self.init(digest: changes?.digest, anew: changes?.anew ?? [], from: place)
    }
}
