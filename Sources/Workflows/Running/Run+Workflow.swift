import Promises

extension Run {
    /// How deeply workflows may run each other.
    private static let deepestRun = 50

    /// Runs another workflow, as a run of its own inside this one.
    ///
    /// Specification: dsl-reference.md, "Workflow Process". Without an input of its own it gets that of the task. A run
    /// that the task does not wait for is waited for at the end of this one: it lives in the same process.
    func perform(
        _ reference: Workflow.Process.Reference, input template: Template?, isAwaited: Bool, of task: Workflow.Task,
        input: Value, scope: Scope
    ) throws -> Promise<Outcome> {
        guard depth < Self.deepestRun else {
            throw WorkflowError(
                .runtime,
                detail: "workflows ran each other \(Self.deepestRun) deep: '\(reference.description)' runs itself "
                    + "without end")
        }
        let workflow: Workflow
        do throws(WorkflowLibrary.Problem) {
            workflow = try library.workflow(reference)
        } catch {
            throw WorkflowError(
                .configuration, detail: "the workflow '\(reference.description)' cannot be run", cause: error)
        }
        let innerInput = try template.map { try evaluate($0, input, scope) } ?? input
        let problems = workflow.validate(input: innerInput)
        guard problems.isEmpty else {
            throw WorkflowError(
                .validation,
                detail: "of '\(reference.description)': " + problems.map(\.message).joined(separator: "; "),
                cause: InvalidWorkflow(diagnostics: problems))
        }
        let inner = Run(workflow, by: runner, inside: self, at: task.reference)
        if runner.isPlanning, !isAwaited { return plan(inner, innerInput, of: task, input: input) }
        guard isAwaited else {
            leave(inner.perform(innerInput), inner, at: task.reference)
            return .value(Outcome(value: input, flow: task.then))
        }
        note(inner, at: task.reference)
        return inner.perform(innerInput)
            .ensure { self.forget(inner) }
            .recover { error -> Promise<Value> in throw Self.error(error, of: reference, at: task.reference) }
            .map { Outcome(value: $0, flow: task.then) }
    }

    /// The error of a run as the error of the task that ran it.
    private static func error(
        _ error: any Error, of reference: Workflow.Process.Reference, at task: JSONPointer
    ) -> any Error {
        guard var error = error as? WorkflowError, !error.is(.cancelled) else { return error }
        let place = error.instance.map { $0.isEmpty ? "" : ", \($0)" } ?? ""
        error.members["detail"] = .string(
            "in '\(reference.description)'\(place): \(error.detail ?? error.title ?? error.type)")
        error.members["instance"] = .string(task.description)
        return error
    }
}
