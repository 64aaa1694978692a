extension LiveTaskPerformer {
    func evaluate(_ template: Template, _ data: Value, _ scope: Scope) throws(TemplateError) -> Value {
        try template.evaluate(
            data, variables: scope.values(of: template.variables), environment: environment(in: scope),
            marks: run.secrets.areInUse)
    }

    func evaluate(_ expression: Expression, _ data: Value, _ scope: Scope) throws(ExpressionError) -> Value {
        try expression.first(
            data, variables: scope.values(of: expression.variables), environment: environment(in: scope),
            marks: run.secrets.areInUse)
    }

    /// The clock; in a run of an approved plan, one moment for each task, so that its requests can be computed again.
    private func environment(in scope: Scope) -> Expression.Environment {
        var environment = Expression.Environment()
        environment.interrupt = scope.interrupt
        guard let approval = run.runner.approval, let task = scope.task else { return environment }
        let moment = approval.moment(of: TaskExecution(task.task.reference, run.path(to: task.occurrence)))
        environment.now = { moment }
        return environment
    }
}

extension DryTaskPerformer {
    /// Evaluates a template on data that has unknowns.
    func evaluate(_ template: Template, _ data: Value, _ scope: Scope) throws(TemplateError) -> Value {
        let variables = scope.values(of: template.variables)
        return try template.evaluate { expression, pointer throws(ExpressionError) in
            try evaluate(expression, data, variables, scope, at: pointer.tokens.map { ".\($0)" }.joined())
        }
    }

    /// Evaluates an expression on data that has unknowns.
    func evaluate(_ expression: Expression, _ data: Value, _ scope: Scope) throws(ExpressionError) -> Value {
        try evaluate(expression, data, scope.values(of: expression.variables), scope, at: "")
    }

    private func evaluate(
        _ expression: Expression, _ data: Value, _ variables: [String: Value], _ scope: Scope, at place: String
    ) throws(ExpressionError) -> Value {
        try expression.evaluatePlanned(data, variables: variables) { path, shape, derivation in
            let name = (scope.task?.task.name ?? "workflow") + place + Planner.shown(path)
            return planner.unknown(name, shape, from: .computed(derivation))
        }
    }

    /// Whether a condition holds; nil if that depends on unknowns.
    func truth(of condition: Expression, _ data: Value, _ scope: Scope) throws(WorkflowError) -> Bool? {
        try run.evaluate(condition, data, scope).decidedTruth
    }
}

extension Run {
    /// Transforms data with a template; unchanged if there is none.
    func transform(_ template: Template?, _ data: Value, _ scope: Scope) throws(WorkflowError) -> Value {
        guard let template else { return data }
        return try evaluate(template, data, scope)
    }

    func evaluate(_ template: Template, _ data: Value, _ scope: Scope) throws(WorkflowError) -> Value {
        try demandSecrets(of: template.reads.map(\.path), scope)
        do {
            return try performer.evaluate(template, data, scope)
        } catch {
            try endIfInterrupted(scope)
            let detail = error.findings.map(\.error.message).joined(separator: "; ")
            var failure = WorkflowError(
                .expression, detail: detail, instance: scope.task?.task.reference, cause: error)
            failure.place = WorkflowError.Place(expression: error.findings.first?.expression)
            throw failure
        }
    }

    func evaluate(_ template: Template, _ task: ActiveTask) throws(WorkflowError) -> Value {
        try evaluate(template, task.input, task.scope)
    }

    func evaluate(_ expression: Expression, _ data: Value, _ scope: Scope) throws(WorkflowError) -> Value {
        try demandSecrets(of: expression.reads, scope)
        do {
            return try performer.evaluate(expression, data, scope)
        } catch {
            try endIfInterrupted(scope)
            throw WorkflowError(of: expression, error.message, in: scope.task?.task, cause: error)
        }
    }

    /// Fails if the computations of a place are to end.
    func endIfInterrupted(_ scope: Scope) throws(WorkflowError) {
        guard scope.interrupt.isRequested else { return }
        throw WorkflowError(
            .cancelled, detail: "a computation was interrupted", instance: scope.task?.task.reference,
            cause: ComputationInterrupted())
    }

    /// Fails if an expression reads a missing secret.
    private func demandSecrets(
        of reads: @autoclosure () -> [Expression.StaticPath], _ scope: Scope
    ) throws(WorkflowError) {
        guard !workflow.components.secrets.isEmpty else { return }
        let names = reads().filter { $0.variable == "secrets" }.compactMap(\.keys.first)
        try secrets.demand(names, in: scope.task?.task.reference)
    }

    /// The data as a service or a program gets them: with real texts in place of secrets.
    ///
    /// In a plan, there are tokens in place of unknowns.
    func sent(_ data: Value) -> Value { runner.planner?.unknowns.plain(data) ?? data.revealed }

    /// Whether a condition holds: any result but `false` and `null` is true, as in jq.
    func holds(_ condition: Expression?, _ data: Value, _ scope: Scope) throws(WorkflowError) -> Bool {
        guard let condition else { return true }
        switch try evaluate(condition, data, scope) {
        case .null, .bool(false): return false
        default: return true
        }
    }

    func duration(_ source: DurationSource, _ data: Value, _ scope: Scope) throws(WorkflowError) -> Duration {
        switch source {
        case .literal(let duration): return duration
        case .expression(let expression):
            let value = try evaluate(expression, data, scope)
            if isPlanning, value.holdsUnknown { return .zero }
            guard !value.holdsSecret else {
                throw WorkflowError(
                    of: expression, "a duration cannot be secret, because events show it", in: scope.task?.task)
            }
            guard let duration = Duration(value) else {
                throw WorkflowError(
                    of: expression, "a duration was expected, but the expression returned \(value.json())",
                    in: scope.task?.task)
            }
            return duration
        }
    }

    /// The most violations that an error names.
    private static let mostViolations = 100

    /// Fails if data does not match a schema.
    /// - Parameters:
    ///   - scope: The place that the data belong to.
    ///   - task: The task that fails; nil for the workflow.
    func check(
        _ data: Value, against schema: Schema?, as what: String, _ scope: Scope, in task: JSONPointer? = nil
    ) throws(WorkflowError) {
        guard let schema, let compiled = compiled(schema) else { return }
        let violations = compiled.validate(data, until: scope.interrupt)
        guard !violations.isEmpty else { return }
        try endIfInterrupted(scope)
        let shown = violations.prefix(Self.mostViolations).map { $0.sentence(about: what) }
        let more = violations.count > shown.count ? ["\(violations.count - shown.count) more"] : []
        let detail = (shown + more).joined(separator: "; ")
        throw WorkflowError(.validation, detail: detail, instance: task)
    }
}

extension WorkflowError {
    /// Creates an error of an expression or of its value.
    init(of expression: Expression?, _ detail: String, in task: Workflow.Task?, cause: (any Error)? = nil) {
        self.init(.expression, detail: detail, instance: task?.reference, cause: cause)
        place = Place(expression: expression?.source)
    }
}

/// Why a computation has no result: its task has ended meanwhile.
struct ComputationInterrupted: Error {}
