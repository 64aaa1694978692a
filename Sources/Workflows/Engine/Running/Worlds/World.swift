/// Where a run takes place: the real world, or a plan, in which much is unknown.
///
/// A task asks its world for everything that differs between the two, and does not know which one it is in.
/// ``TaskPerformer`` has the kinds of tasks whose two versions share little.
///
/// An object, because it is asked several times for every task.
protocol World: AnyObject, Sendable {
    /// Whether time passes and timeouts expire.
    var limitsTime: Bool { get }
    /// Whether programs are started: containers then need an engine.
    var startsPrograms: Bool { get }
    /// Whether a run's events count; in a plan the past of a resumed run stays as it was.
    var keepsEvents: Bool { get }
    /// Whether what a journal conceals is opened; it is unknown in a plan.
    var opensSeals: Bool { get }
    /// The moment that `now` is in expressions: that of the plan; nil for the clock's.
    var now: Date? { get }
    /// Notes the files that are read, or compares them with those of an approved plan; nil for neither.
    var fileWatch: FileWatch? { get }
    /// What people call the things whose ids a plan reads; nil if each run has its own.
    var names: KnownNames? { get }

    func performer(of run: Run) -> any TaskPerformer

    // MARK: Data

    /// Evaluates a template at a place; `marks` if the data can contain secrets.
    func evaluate(
        _ template: Template, _ data: Value, _ variables: [String: Value], _ environment: Expression.Environment,
        marks: Bool, in scope: Scope
    ) throws(TemplateError) -> Value

    func evaluate(
        _ expression: Expression, _ data: Value, _ variables: [String: Value], _ environment: Expression.Environment,
        marks: Bool, in scope: Scope
    ) throws(ExpressionError) -> Value

    /// The data as a service or a program gets them: with real texts for secrets; in a plan, with tokens for unknowns.
    func sent(_ data: Value) -> Value

    /// What a service or a program answers, with unknowns instead of tokens.
    func received(_ data: Value) -> Value

    /// A text that every run creates, such as an id; unknown in a plan.
    func fresh(_ name: String, _ make: () -> String) -> Value

    /// The token for a member of an object that only a run creates; nil in a run.
    func token(for member: String, of object: String) -> String?

    /// When a task starts in a plan; nil in a run, which knows it.
    var taskStart: PlannedMoment? { get }

    // MARK: Secrets

    func secrets(of workflow: Workflow, from store: SecretStore, _ known: KnownSecrets) -> Object

    /// Searches for a credential from now on.
    func hide(_ secret: Secret, of names: [String], _ known: KnownSecrets)

    /// A credential as a value for expressions.
    func value(of secret: Secret, of names: [String], _ known: KnownSecrets) -> Value

    /// A credential as a request has it.
    func sent(_ secret: Secret, named name: String) -> Secret

    // MARK: The way of a run

    /// The scope in which the tasks of a run begin with a context.
    func scope(_ scope: Scope, with context: Value) -> Scope

    func client(for run: Run) -> GraphClient

    /// Begins a task whose condition may hold; `path` has the repetitions around it, in the outer runs as well.
    func begin(_ task: ActiveTask, _ certainty: PlannedCertainty, at path: @autoclosure () -> String)

    func conclude(_ outcome: Promise<Outcome>, of task: ActiveTask, _ certainty: PlannedCertainty) -> Promise<Outcome>

    func skip(_ task: ActiveTask, at path: @autoclosure () -> String)

    /// Adds to what is known of the task in progress.
    func note(_ change: (inout PlannedTask) -> Void)

    /// Takes the output of a task's action, before `output.as`.
    func take(_ output: Value, of place: @autoclosure () -> TaskExecution)

    /// What is known of a run's context after a task has exported it.
    func exported(_ context: Value, of run: String, by task: String) -> Value

    /// The outcome of a call that calls itself an unknown number of times; nil for any other.
    func end(ofRecursion call: String, _ task: ActiveTask) -> Outcome?

    // MARK: Approvals

    /// Fails if an approved plan does not have a program.
    func allow(_ program: ChildProgram, at place: @autoclosure () -> TaskExecution) throws(PlanDeviation)

    /// Recalls what a run of an approved plan did before it was interrupted.
    func recall(
        _ events: [Event], _ replay: JournalReplay, _ resumption: Event.Resumption,
        assuming assumption: Runner.Assumption?
    ) throws
}
