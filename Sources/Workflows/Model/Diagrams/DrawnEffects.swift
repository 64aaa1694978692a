/// What the tasks of a workflow do to the world, as far as that is known before anything runs.
struct DrawnEffects {
    private let workflow: Workflow
    private let catalog: any FunctionCatalog
    private let files: WorkflowFiles
    private let library: WorkflowLibrary

    init(_ workflow: Workflow, catalog: any FunctionCatalog) {
        self.init(workflow, catalog: catalog, WorkflowLibrary(of: workflow))
    }

    private init(_ workflow: Workflow, catalog: any FunctionCatalog, _ library: WorkflowLibrary) {
        self.workflow = workflow
        self.catalog = catalog
        self.library = library
        files = WorkflowFiles(folder: workflow.folder)
    }

    /// The effect of a task without its inner tasks; nil for none.
    func effect(of task: Workflow.Task) -> Idempotency? {
        var seen: Set<String> = []
        return effect(of: task, &seen)
    }

    /// The effect of a task.
    /// - Parameter seen: The functions and workflows in progress, which may call themselves.
    private func effect(of task: Workflow.Task, _ seen: inout Set<String>) -> Idempotency? {
        switch task.action {
        case .call(let call):
            if let function = workflow.components.functions[call.function] {
                guard seen.insert("\(workflow.metadata.name) \(call.function)").inserted else { return nil }
                return strongest(function.withDescendants, &seen)
            }
            if let inline = call.inline { return strongest(inline.tasks.flatMap(\.withDescendants), &seen) }
            if let reference = task.action.workflow { return effect(of: reference, &seen) }
            // An effect that depends on unknown data is shown as the worst possible.
            return catalog.signature(call.function).map { call.effect(of: $0, files: files) ?? $0.effect }
        case .run(let process):
            guard case .workflow(let reference, _) = process.kind else { return .once }
            return effect(of: reference, &seen)
        case .do, .emit, .for, .fork, .listen, .raise, .set, .switch, .try, .wait: return nil
        }
    }

    private func effect(of reference: Workflow.Process.Reference, _ seen: inout Set<String>) -> Idempotency? {
        guard seen.insert(reference.description).inserted, let other = try? library.workflow(reference) else {
            return nil
        }
        return DrawnEffects(other, catalog: catalog, library).strongest(
            other.tasks.flatMap(\.withDescendants), &seen)
    }

    private func strongest(_ tasks: [Workflow.Task], _ seen: inout Set<String>) -> Idempotency? {
        var strongest: Idempotency?
        for task in tasks {
            guard let effect = effect(of: task, &seen) else { continue }
            if (strongest?.strength ?? -1) < effect.strength { strongest = effect }
        }
        return strongest
    }
}
