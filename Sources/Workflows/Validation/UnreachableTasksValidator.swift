/// Finds tasks that no way through their list leads to.
struct UnreachableTasksValidator: WorkflowValidator {
    func diagnostics(for workflow: Workflow) -> [Diagnostic] {
        workflow.taskLists.flatMap { tasks in
            let reached = Self.reached(in: tasks)
            return tasks.indices.filter { !reached.contains($0) }.map { index in
                workflow.document.diagnostic(
                    .warning, id: "unreachable", "the task '\(tasks[index].name)' is never reached",
                    hint: "no 'then' leads to it, and the task before it goes on elsewhere",
                    at: tasks[index].reference, part: .key)
            }
        }
    }

    private static func reached(in tasks: [Workflow.Task]) -> Set<Int> {
        var reached: Set<Int> = []
        var waiting = tasks.isEmpty ? [] : [0]
        while let index = waiting.popLast() {
            guard reached.insert(index).inserted else { continue }
            waiting += tasks[index].directives.compactMap { directive in
                switch directive {
                case .continue: index + 1 < tasks.count ? index + 1 : nil
                case .task(let name): tasks.firstIndex { $0.name == name }
                case .exit, .end: nil
                }
            }
        }
        return reached
    }
}

extension Workflow.Task {
    /// Every way on from the task to another one.
    fileprivate var directives: [FlowDirective] {
        // A task that is skipped is followed by the next one, whatever it says itself.
        let skipped: [FlowDirective] = condition == nil ? [] : [.continue]
        switch action {
        case .raise: return skipped
        case .switch(let cases):
            let hasDefault = cases.contains { $0.condition == nil }
            return skipped + cases.map(\.then) + (hasDefault ? [] : [then])
        case .call, .do, .set, .try, .wait: return skipped + [then]
        }
    }
}
