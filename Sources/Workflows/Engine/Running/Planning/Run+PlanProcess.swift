import Promises

extension Run {
    /// Plans a program: it is not started, and what it would give is not known.
    func plan(
        _ program: ChildProgram, _ process: Workflow.Process, of task: Workflow.Task, input: Value, _ planner: Planner
    ) -> Outcome {
        let planned = PlannedProcess(program, of: task, isAwaited: process.isAwaited)
        planner.add(.process(planned))
        guard process.isAwaited else { return Outcome(value: input, flow: task.then) }
        let name = planner.transport.symbol(task.name.asSymbolName)
        let (code, output, error) = ("‹\(name).code›", "‹\(name).stdout›", "‹\(name).stderr›")
        let result: Value =
            switch process.result {
            case .stdout: .string(output)
            case .stderr: .string(error)
            case .code: .string(code)
            case .all: ["code": .string(code), "stdout": .string(output), "stderr": .string(error)]
            case .none: .null
            }
        return Outcome(value: result, flow: task.then)
    }

    /// Plans a workflow that nobody waits for, at the place where it begins.
    func plan(_ inner: Run, _ innerInput: Value, of task: Workflow.Task, input: Value) -> Promise<Outcome> {
        note(inner, at: task.reference)
        return inner.perform(innerInput).asVoid().recover { error -> Promise<Void> in
            guard !error.isCancelled else { throw error }
            // Nobody learns how it ends.
            return .value(())
        }.ensure { self.forget(inner) }.map { Outcome(value: input, flow: task.then) }
    }
}
