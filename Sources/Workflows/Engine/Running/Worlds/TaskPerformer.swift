/// Performs the kinds of tasks whose live and planned versions share little.
///
/// Each kind has a file in `Tasks/`. The rest, such as the data flow around a task, is in ``Run``, once for every
/// world.
protocol TaskPerformer: Sendable {
    var run: Run { get }

    /// Performs tasks one after the other, each with the output of the previous one.
    ///
    /// The flow of the outcome is `end` if the workflow is complete, the given `exit` if a task exits the list, else
    /// `continue`.
    func perform(_ tasks: [Workflow.Task], input: Value, scope: Scope, exit: FlowDirective) -> Promise<Outcome>

    /// Performs a task with the `before` and `after` tasks of its extensions.
    ///
    /// Specification: dsl-reference.md, "Extension". `before` tasks get the task's raw input, `after` tasks its output.
    /// Their outputs are discarded: an extension that writes a log changes no data. If the `before` tasks exit, their
    /// output replaces the task's action.
    func perform(_ task: ActiveTask, between extensions: [Extension]) -> Promise<Outcome>

    func perform(_ extensions: [Extension], after task: ActiveTask, with outcome: Outcome) -> Promise<Outcome>

    func perform(_ loop: Workflow.For, _ task: ActiveTask) throws -> Promise<Outcome>
    func perform(_ fork: Workflow.Fork, _ task: ActiveTask) -> Promise<Outcome>
    func perform(_ listen: Workflow.Listen, _ task: ActiveTask) -> Promise<Outcome>
    func perform(_ attempt: Workflow.Try, _ task: ActiveTask) -> Promise<Outcome>

    /// Performs `forEach`; `given` are the arguments with their unknowns and secrets.
    func performItems(_ given: Value, _ task: ActiveTask) throws -> Promise<Outcome>

    /// Performs `approval`: asks a person, and waits for the answer.
    func performApproval(_ given: Value, _ task: ActiveTask) throws -> Promise<Outcome>

    /// What the tasks of a `try` of the run did, and what was kept of what they replaced and changed.
    /// - Parameter names: The names of the tasks; nil for all.
    func effects(
        ofTrying place: TaskExecution, named names: Set<String>?
    ) throws -> ([AccountedEffect], [String: BeforeImages.Image])

    /// Calls a function of the catalog; `given` are the arguments with their unknowns and secrets.
    func call(
        _ function: Function, _ given: Value, in context: FunctionContext, _ commitment: Commitment, _ task: ActiveTask
    ) throws -> Promise<Value>

    /// Replaces a call that failed only because of its unknowns; throws any other error.
    func replace(
        _ call: Workflow.Call, of function: Function, after error: any Error, _ task: ActiveTask
    ) throws -> Promise<Outcome>

    func performUnread(_ call: Workflow.Call, _ task: ActiveTask) throws -> Outcome

    func perform(_ program: ChildProgram, of process: Workflow.Process, _ task: ActiveTask) throws -> Promise<Outcome>

    /// Starts a program and talks to it; nil if it is only planned.
    func talk(
        to program: ChildProgram, _ task: ActiveTask, answer: @escaping RPCConnection.Answering,
        _ work: @escaping FunctionPrograms.Work
    ) throws -> Promise<Value>?

    /// Replaces a program that could not be created only because of its unknowns; throws any other error.
    func replaceProgram(after error: any Error, _ task: ActiveTask) throws -> ChildProgram

    /// Emits an event with these attributes, and returns it; its data may turn out to be null.
    func emit(_ members: Object, mayLackData: Bool, _ task: ActiveTask) throws -> Value

    func performUnawaited(_ inner: Run, input: Value, _ task: ActiveTask) -> Promise<Outcome>

    /// Continues a run that no task waits for.
    func resumeUnawaited(_ inner: Run, input: Value, _ task: TaskExecution)

    /// The outcome of the run, given that of its last task and the scope of its tasks.
    func output(_ outcome: Outcome, of scope: Scope) -> Outcome
}

extension TaskPerformer {
    func perform(
        _ task: Workflow.Task, input: Value, scope: Scope, _ reached: PlannedCertainty = .certain
    ) -> Promise<Outcome> { run.perform(task, input: input, scope: scope, reached) }

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
