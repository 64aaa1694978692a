import Promises

/// Performs the tasks of a run, live or as a dry run.
///
/// It has the parts in which the two differ, with a file in `Tasks/` for each kind of task. The rest, such as the data
/// flow around a task, is in `Run` and the same for both.
protocol TaskPerformer: Sendable {
    var run: Run { get }

    /// Performs tasks one after the other, each with the output of the previous one.
    /// - Parameters:
    ///   - input: The raw input of the first task.
    ///   - exit: The flow of the outcome if a task exits the list.
    /// - Returns: The output of the last task; its flow is `end` if the workflow is complete, else `continue`.
    func perform(_ tasks: [Workflow.Task], input: Value, scope: Scope, exit: FlowDirective) -> Promise<Outcome>

    /// Performs one task if its condition holds.
    func perform(_ task: Workflow.Task, input: Value, scope: Scope) -> Promise<Outcome>

    func perform(_ loop: Workflow.For, _ task: ActiveTask) throws -> Promise<Outcome>
    func perform(_ fork: Workflow.Fork, _ task: ActiveTask) -> Promise<Outcome>
    func perform(_ listen: Workflow.Listen, _ task: ActiveTask) -> Promise<Outcome>
    func perform(_ attempt: Workflow.Try, _ task: ActiveTask) -> Promise<Outcome>
    func perform(_ cases: [Workflow.Case], _ task: ActiveTask) throws(WorkflowError) -> Outcome
    func perform(_ program: ChildProgram, of process: Workflow.Process, _ task: ActiveTask) throws -> Promise<Outcome>

    /// Performs an inner run that the task does not wait for.
    func performUnawaited(_ inner: Run, input: Value, _ task: ActiveTask) -> Promise<Outcome>

    /// The outcome of the run, given that of its last task and the scope of its tasks.
    func output(_ outcome: Outcome, of scope: Scope) -> Outcome
}

extension TaskPerformer {
    func perform(_ tasks: [Workflow.Task], input: Value, scope: Scope) -> Promise<Outcome> {
        perform(tasks, input: input, scope: scope, exit: .continue)
    }
}

struct LiveTaskPerformer: TaskPerformer {
    let run: Run

    func output(_ outcome: Outcome, of scope: Scope) -> Outcome { outcome }
}

/// Performs tasks as a dry run, and plans every way that the run may take.
struct DryTaskPerformer: TaskPerformer {
    let run: Run
    let planner: Planner

    func output(_ outcome: Outcome, of scope: Scope) -> Outcome {
        planner.output(outcome.withContext(or: scope.context), of: run.id)
    }
}

extension Run {
    /// The run's task performer: the one place that decides between a live run and a dry run.
    var performer: any TaskPerformer {
        guard let planner = runner.planner else { return LiveTaskPerformer(run: self) }
        return DryTaskPerformer(run: self, planner: planner)
    }
}
