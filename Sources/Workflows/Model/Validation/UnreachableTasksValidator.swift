/// Finds tasks that no path through their list reaches.
struct UnreachableTasksValidator: WorkflowValidator {
    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        workflow.taskLists.flatMap { tasks -> [Diagnostic] in
            // In most lists, every task leads to the next one, so all are reached.
            guard !tasks.allSatisfy({ $0.directives.contains(.continue) }) else { return [] }
            let places = Dictionary(tasks.enumerated().map { ($0.element.name, $0.offset) }) { first, _ in first }
            var reached: Set<Int> = []
            Self.reach(0, in: tasks, places, &reached)
            return tasks.indices.compactMap { index -> Diagnostic? in
                guard !reached.contains(index) else { return nil }
                // Tasks that only this one leads to have the same cause and are not reported again.
                Self.reach(index, in: tasks, places, &reached)
                return workflow.document.diagnostic(
                    .warning, id: "unreachable", "the task '\(tasks[index].name)' is never reached",
                    hint: "no 'then' leads to it, and the task before it continues elsewhere",
                    at: tasks[index].reference, part: .key)
            }
        }
    }

    private static func reach(
        _ start: Int, in tasks: [Workflow.Task], _ places: [String: Int], _ reached: inout Set<Int>
    ) {
        var waiting = tasks.isEmpty ? [] : [start]
        while let index = waiting.popLast() {
            guard reached.insert(index).inserted else { continue }
            waiting += tasks[index].directives.compactMap { directive in
                switch directive {
                case .continue: index + 1 < tasks.count ? index + 1 : nil
                // Another validator reports an unknown name; here, the next task counts as reached.
                case .task(let name): places[name] ?? (index + 1 < tasks.count ? index + 1 : nil)
                case .exit, .end: nil
                }
            }
        }
    }
}

extension Workflow.Task {
    fileprivate var directives: [FlowDirective] {
        // A skipped task is followed by the next one, whatever its directive.
        let skipped: [FlowDirective] = condition == nil ? [] : [.continue]
        switch action {
        case .raise: return skipped
        case .switch(let cases):
            let hasDefault = cases.contains { $0.condition == nil }
            return skipped + cases.map(\.then) + (hasDefault ? [] : [then])
        case .call, .do, .emit, .for, .fork, .listen, .run, .set, .try, .wait: return skipped + continuations
        }
    }
}
