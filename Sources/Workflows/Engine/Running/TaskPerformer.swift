import Promises

/// Performs the tasks of a run: live, or dry as a plan has it.
///
/// Here are the parts in which the two differ, each kind of task in a file of its own in `Tasks/`. The rest, such as the
/// data flow around a task, is the run's own and the same for both.
protocol TaskPerformer: Sendable {
    /// The run whose tasks they are.
    var run: Run { get }

    /// Performs tasks one after the other, from the first on, each with the output of the one before it.
    /// - Parameters:
    ///   - tasks: The tasks.
    ///   - input: The raw input of the first one.
    ///   - scope: What their expressions can read.
    ///   - exit: The flow of the outcome where a task leaves the list.
    /// - Returns: The output of the last task; its flow is `end` where the workflow is complete, else `continue`.
    func perform(_ tasks: [Workflow.Task], input: Value, scope: Scope, exit: FlowDirective) -> Promise<Outcome>

    /// Performs one task, where its condition holds.
    func perform(_ task: Workflow.Task, input: Value, scope: Scope) -> Promise<Outcome>

    func perform(_ loop: Workflow.For, _ task: ActiveTask) throws -> Promise<Outcome>
    func perform(_ fork: Workflow.Fork, _ task: ActiveTask) -> Promise<Outcome>
    func perform(_ listen: Workflow.Listen, _ task: ActiveTask) -> Promise<Outcome>
    func perform(_ attempt: Workflow.Try, _ task: ActiveTask) -> Promise<Outcome>
    func perform(_ cases: [Workflow.Case], _ task: ActiveTask) throws(WorkflowError) -> Outcome
    func perform(_ program: ChildProgram, of process: Workflow.Process, _ task: ActiveTask) throws -> Promise<Outcome>

    /// Performs a run inside this one, which the task does not wait for.
    func performUnawaited(_ inner: Run, input: Value, _ task: ActiveTask) -> Promise<Outcome>

    func evaluate(_ template: Template, _ data: Value, _ scope: Scope) throws(TemplateError) -> Value
    func evaluate(_ expression: Expression, _ data: Value, _ scope: Scope) throws(ExpressionError) -> Value

    /// What the run gives whose last task gives that.
    func output(_ output: Value) -> Value
}

extension TaskPerformer {
    func perform(_ tasks: [Workflow.Task], input: Value, scope: Scope) -> Promise<Outcome> {
        perform(tasks, input: input, scope: scope, exit: .continue)
    }
}

/// Performs tasks live.
struct LiveTaskPerformer: TaskPerformer {
    let run: Run

    func output(_ output: Value) -> Value { output }
}

/// Performs tasks dry: nothing is done, and every way that the run may take becomes a part of the plan.
struct DryTaskPerformer: TaskPerformer {
    let run: Run
    let planner: Planner

    func output(_ output: Value) -> Value { planner.output(output, of: run.id) }
}

extension Run {
    /// What performs the run's tasks: the one place where a live run and a dry one part.
    var performer: any TaskPerformer {
        guard let planner = runner.planner else { return LiveTaskPerformer(run: self) }
        return DryTaskPerformer(run: self, planner: planner)
    }
}
