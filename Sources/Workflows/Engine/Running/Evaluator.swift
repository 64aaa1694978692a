/// What all places of an execution share to evaluate expressions; event filters need it before there is a run.
final class Evaluator: Sendable {
    /// What `$workflow` says of an execution.
    struct Identity: Sendable {
        /// The id of the run; unknown in a plan.
        let id: Value
        /// When it started; in a plan and its approved run the moment of planning.
        let startedAt: Value

        init(id: String, startedAt: Date, in world: any World) {
            self.id = world.fresh("workflow.id") { id }
            self.startedAt = (world.now ?? startedAt).descriptor
        }
    }

    let secrets: SecretVault
    private let workflow: Workflow
    let identity: Identity
    private let history: RunHistory
    private let world: any World
    private let now: @Sendable () -> Date

    init(
        _ workflow: Workflow, id: String, startedAt: Date, _ secrets: SecretVault, _ history: RunHistory,
        by runner: Runner
    ) {
        self.workflow = workflow
        world = runner.world
        identity = Identity(id: id, startedAt: startedAt, in: world)
        self.secrets = secrets
        self.history = history
        now = if let moment = world.now { { moment } } else { runner.now }
    }

    var context: Value { history.read { $0.context } }

    /// What expressions can read about the workflow, as the standard defines it.
    func descriptor(input: Value) -> Value {
        ["id": identity.id, "definition": workflow.document.value, "input": input, "startedAt": identity.startedAt]
    }

    func evaluate(_ template: Template, _ data: Value, _ scope: Scope) throws(TemplateError) -> Value {
        try world.evaluate(
            template, data, scope.values(of: template.variables), environment(in: scope), marks: secrets.areInUse,
            in: scope)
    }

    func evaluate(_ expression: Expression, _ data: Value, _ scope: Scope) throws(ExpressionError) -> Value {
        try world.evaluate(
            expression, data, scope.values(of: expression.variables), environment(in: scope), marks: secrets.areInUse,
            in: scope)
    }

    private func environment(in scope: Scope) -> Expression.Environment {
        var environment = Expression.Environment(now: now)
        environment.interrupt = scope.interrupt
        return environment
    }

    func demandSecrets(
        of reads: @autoclosure () -> [Expression.StaticPath], in task: JSONPointer?
    ) throws(WorkflowError) {
        guard !workflow.components.secrets.isEmpty else { return }
        let names = reads().filter { $0.variable == "secrets" }.compactMap(\.keys.first)
        try secrets.demand(names, in: task)
    }
}
