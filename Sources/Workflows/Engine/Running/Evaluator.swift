import Essentials

/// What all places of one execution of a workflow share to evaluate their expressions.
///
/// It needs no run: the filters of the events that start one are evaluated before there is any.
final class Evaluator: Sendable {
    /// What `$workflow` says of an execution.
    struct Identity: Sendable {
        /// The id of the run; unknown in a plan.
        let id: Value
        /// When it started; unknown in a plan.
        let startedAt: Value

        init(id: String, startedAt: Date) { (self.id, self.startedAt) = (.string(id), startedAt.descriptor) }

        /// That of a run which is only planned.
        init(of unknown: (id: Unknown, startedAt: PlannedMoment)) {
            (id, startedAt) = (.unknown(unknown.id), unknown.startedAt.value)
        }
    }

    let secrets: SecretVault
    private let workflow: Workflow
    private let identity: Identity
    private let history: RunHistory
    /// Computes with what only a run knows; nil in a run.
    private let planner: Planner?

    /// - Parameter history: What has happened, with the context.
    init(
        _ workflow: Workflow, _ identity: Identity, _ secrets: SecretVault, _ history: RunHistory,
        planner: Planner? = nil
    ) {
        self.workflow = workflow
        self.identity = identity
        self.secrets = secrets
        self.history = history
        self.planner = planner
    }

    /// The context of the tasks.
    var context: Value { history.read { $0.context } }

    /// What expressions can read about the workflow, as the standard defines it.
    func descriptor(input: Value) -> Value {
        ["id": identity.id, "definition": workflow.document.value, "input": input, "startedAt": identity.startedAt]
    }

    func evaluate(_ template: Template, _ data: Value, _ scope: Scope) throws(TemplateError) -> Value {
        let variables = scope.values(of: template.variables)
        guard planner == nil else {
            return try template.evaluate { expression, pointer throws(ExpressionError) in
                try self.evaluate(expression, data, variables, scope, at: pointer.tokens.map { ".\($0)" }.joined())
            }
        }
        return try template.evaluate(
            data, variables: variables, environment: environment(in: scope), marks: secrets.areInUse)
    }

    func evaluate(_ expression: Expression, _ data: Value, _ scope: Scope) throws(ExpressionError) -> Value {
        try evaluate(expression, data, scope.values(of: expression.variables), scope, at: "")
    }

    /// - Parameter place: Where the expression is in its template, for the names of unknowns.
    private func evaluate(
        _ expression: Expression, _ data: Value, _ variables: [String: Value], _ scope: Scope, at place: String
    ) throws(ExpressionError) -> Value {
        guard let planner else {
            return try expression.first(
                data, variables: variables, environment: environment(in: scope), marks: secrets.areInUse)
        }
        return try expression.evaluatePlanned(data, variables: variables) { path, shape, derivation in
            let name = (scope.task?.task.name ?? "workflow") + place + Planner.shown(path)
            return planner.unknown(name, shape, from: .computed(derivation))
        }
    }

    private func environment(in scope: Scope) -> Expression.Environment {
        var environment = Expression.Environment()
        environment.interrupt = scope.interrupt
        return environment
    }

    /// Fails if an expression reads a missing secret.
    func demandSecrets(
        of reads: @autoclosure () -> [Expression.StaticPath], in task: JSONPointer?
    ) throws(WorkflowError) {
        guard !workflow.components.secrets.isEmpty else { return }
        let names = reads().filter { $0.variable == "secrets" }.compactMap(\.keys.first)
        try secrets.demand(names, in: task)
    }
}
