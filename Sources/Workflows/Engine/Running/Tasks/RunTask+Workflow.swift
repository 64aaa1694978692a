extension Run {
    private static let deepestRun = 50

    /// Runs another workflow as an inner run.
    ///
    /// Specification: dsl-reference.md, "Workflow Process". Without its own input it gets the task's input. If the task
    /// does not wait for it, this run waits for it at its end, because both are in the same process.
    func perform(
        _ reference: Workflow.Process.Reference, input template: Template?, isAwaited: Bool, _ task: ActiveTask
    ) throws -> Promise<Outcome> {
        if let end = world.end(ofRecursion: reference.description, task) { return .value(end) }
        let workflow = try workflow(reference)
        return try perform(workflow, reference, at: task.execution, isAwaited: isAwaited, task) {
            try template.map { try task.evaluate($0) } ?? task.input
        }
    }

    func workflow(_ reference: Workflow.Process.Reference) throws(WorkflowError) -> Workflow {
        guard depth < Self.deepestRun else {
            throw WorkflowError(
                .runtime,
                detail: "workflows ran each other \(Self.deepestRun) levels deep: '\(reference.description)' "
                    + "runs itself endlessly")
        }
        if let inline = workflow.inline(reference) { return inline }
        do throws(WorkflowLibrary.Problem) {
            return try library.workflow(reference)
        } catch {
            throw WorkflowError(
                .configuration, detail: "the workflow '\(reference.description)' cannot be run", cause: error)
        }
    }

    /// Runs a workflow as an inner run of a task or item, or resumes the recorded one, or takes its result.
    func perform(
        _ workflow: Workflow, _ reference: Workflow.Process.Reference, at place: TaskExecution, isAwaited: Bool,
        _ task: ActiveTask, input: () throws -> Value
    ) throws -> Promise<Outcome> {
        guard innerRuns.countOfAll < runner.mostRunsAtWork else {
            throw WorkflowError(
                .runtime,
                detail: "more than \(runner.mostRunsAtWork) workflows run inside this run at the same time: "
                    + "'\(reference.description)' may run itself endlessly")
        }
        guard !isInside(workflow) || innerRuns.countRecursive() <= runner.mostRecursiveRuns else {
            throw WorkflowError(
                .runtime,
                detail: "'\(reference.description)' ran itself more than \(runner.mostRecursiveRuns) times in one run")
        }
        if let known = journal.replay?.inner(of: id, at: place), memory(of: task.execution) != nil {
            return try resume(known, workflow, at: place, isAwaited: isAwaited, reference, task, input: input)
        }
        let innerInput = try input()
        try check(innerInput, of: workflow, reference)
        let inner = Run(workflow, by: runner, inside: self, at: place, until: isAwaited ? task.scope.interrupt : nil)
        return perform(inner, innerInput, isAwaited: isAwaited, reference, task)
    }

    func check(
        _ input: Value, of workflow: Workflow, _ reference: Workflow.Process.Reference
    ) throws(WorkflowError) {
        let problems = workflow.validate(input: input)
        guard problems.isEmpty else {
            throw WorkflowError(
                .validation,
                detail: "of '\(reference.description)': " + problems.map(\.message).joined(separator: "; "),
                cause: InvalidWorkflow(diagnostics: problems))
        }
    }

    private func perform(
        _ inner: Run, _ innerInput: Value, isAwaited: Bool, _ reference: Workflow.Process.Reference,
        _ task: ActiveTask
    ) -> Promise<Outcome> {
        guard isAwaited else { return performer.performUnawaited(inner, input: innerInput, task) }
        let isAlone = innerRuns.add(inner, at: task.reference)
        // Started asynchronously: a recursive workflow cannot overflow the stack.
        return Promise.value(()).then { isAlone ? inner.perform(innerInput) : inner.performAlongside(innerInput) }
            .ensure { self.innerRuns.remove(inner) }
            .recover { error -> Promise<Value> in throw Self.error(error, of: reference, at: task.reference) }
            .map { Outcome(value: $0, flow: task.then) }
    }

    /// Resumes an unfinished run of the journal, or takes its output.
    private func resume(
        _ known: JournalReplay.Inner, _ workflow: Workflow, at place: TaskExecution, isAwaited: Bool,
        _ reference: Workflow.Process.Reference, _ task: ActiveTask, input: () throws -> Value
    ) throws -> Promise<Outcome> {
        let state = journal.replay?.states[known.run]
        switch state?.end {
        case _ where !isAwaited && state?.hasEnded ?? true: return .value(Outcome(value: task.input, flow: task.then))
        case .completed(let output, _): return .value(Outcome(value: output, flow: task.then))
        case .failed(let error): return Promise(error: Self.error(error, of: reference, at: task.reference))
        case .skipped, nil: break
        }
        // A cancelled run begins again.
        let isOpen = state.map { !$0.hasEnded } ?? false
        let inner = Run(
            workflow, by: runner, inside: self, at: place, until: isAwaited ? task.scope.interrupt : nil,
            resuming: isOpen ? known.run : nil)
        return perform(inner, try state?.start?.input ?? input(), isAwaited: isAwaited, reference, task)
    }

    private static func error(
        _ error: any Error, of reference: Workflow.Process.Reference, at task: JSONPointer
    ) -> any Error {
        guard var error = error as? WorkflowError, !error.is(.cancelled) else { return error }
        let place = error.instance.map { $0.isEmpty ? "" : ", \($0)" } ?? ""
        let detail = error.members["detail"] ?? error.members["title"]
        let words = detail?.textParts ?? detail.map { [.plain($0.json())] } ?? [.plain(error.type)]
        error.members["detail"] = .text([.plain("in '\(reference.description)'\(place): ")] + words)
        error.members["instance"] = .string(task.description)
        return error
    }
}

extension LiveTaskPerformer {
    func performUnawaited(_ inner: Run, input: Value, _ task: ActiveTask) -> Promise<Outcome> {
        // The task ends when the run has begun: then a resumed run knows of it.
        let (begun, resolver) = Promise<Void>.pending()
        inner.onBegun.withLock { $0 = { resolver.fulfill() } }
        let end = inner.performAlongside(input).ensure { resolver.fulfill() }
        run.innerRuns.leave(inner, end, at: task.reference)
        return begun.map { Outcome(value: task.input, flow: task.then) }
    }

    func resumeUnawaited(_ inner: Run, input: Value, _ task: TaskExecution) {
        run.innerRuns.leave(inner, inner.performAlongside(input), at: task.task)
    }
}

extension DryTaskPerformer {
    func resumeUnawaited(_ inner: Run, input: Value, _ task: TaskExecution) {
        let name = PlainText.exact(inner.workflow.metadata.name, limit: 200)
        planner.noteGap("what is left of '\(name)', for which no task waits, is only known at run time")
    }

    /// Plans a workflow that no task waits for, at the place where it begins.
    func performUnawaited(_ inner: Run, input: Value, _ task: ActiveTask) -> Promise<Outcome> {
        _ = run.innerRuns.add(inner, at: task.reference)
        return inner.perform(input).asVoid().recover { error -> Promise<Void> in
            guard !error.isCancelled else { throw error }
            // Its end has no consequence.
            return .value(())
        }.ensure { run.innerRuns.remove(inner) }.map { Outcome(value: task.input, flow: task.then) }
    }
}
