extension LiveTaskPerformer {
    func evaluate(_ template: Template, _ data: Value, _ scope: Scope) throws(TemplateError) -> Value {
        try template.evaluate(data, variables: scope.values(of: template.variables))
    }

    func evaluate(_ expression: Expression, _ data: Value, _ scope: Scope) throws(ExpressionError) -> Value {
        try expression.first(data, variables: scope.values(of: expression.variables))
    }
}

extension DryTaskPerformer {
    /// Evaluates a template on data that contains unknowns.
    func evaluate(_ template: Template, _ data: Value, _ scope: Scope) throws(TemplateError) -> Value {
        let variables = scope.values(of: template.variables)
        let name = name(in: scope)
        return try template.evaluate { expression, pointer throws(ExpressionError) in
            try expression.evaluatePartially(data, variables: variables) { path in
                let place = pointer.tokens.map { ".\($0)" }.joined().asSymbolName
                return planner.symbol(
                    "\(name)\(place)\(path)", from: expression.derivation(of: data, variables, at: path))
            }
        }
    }

    /// Evaluates an expression on data that contains unknowns.
    func evaluate(_ expression: Expression, _ data: Value, _ scope: Scope) throws(ExpressionError) -> Value {
        let name = name(in: scope)
        let variables = scope.values(of: expression.variables)
        return try expression.evaluatePartially(data, variables: variables) { path in
            planner.symbol("\(name)\(path)", from: expression.derivation(of: data, variables, at: path))
        }
    }

    /// Whether the result of an expression depends on unknowns.
    func dependsOnUnknowns(_ expression: Expression, _ data: Value, _ scope: Scope) -> Bool {
        expression.dependsOnSymbols(data, scope.values(of: expression.variables))
    }

    private func name(in scope: Scope) -> String { (scope.task?.task.name ?? "workflow").asSymbolName }
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
            let detail = error.findings.map(\.error.message).joined(separator: "; ")
            throw WorkflowError(.expression, detail: detail, instance: scope.task?.task.reference, cause: error)
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
            throw WorkflowError(.expression, detail: error.message, instance: scope.task?.task.reference, cause: error)
        }
    }

    /// Fails if an expression reads a missing secret.
    private func demandSecrets(
        of reads: @autoclosure () -> [Expression.StaticPath], _ scope: Scope
    ) throws(WorkflowError) {
        guard !workflow.components.secrets.isEmpty else { return }
        let names = reads().filter { $0.variable == "secrets" }.compactMap(\.keys.first)
        try secrets.demand(names, in: scope.task?.task.reference)
    }

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
            if isPlanning, value.holdsSymbol { return .zero }
            guard let duration = Duration(value) else {
                throw WorkflowError(
                    .expression, detail: "a duration was expected, but the expression returned \(value.json())",
                    instance: scope.task?.task.reference)
            }
            return duration
        }
    }

    /// Fails if data does not match a schema.
    func check(_ data: Value, against schema: Schema?, as what: String, in task: JSONPointer? = nil)
        throws(WorkflowError)
    {
        guard let schema, let compiled = compiled(schema) else { return }
        let violations = compiled.validate(data).filter { !isPlanning || !$0.isAboutSymbol(in: data) }
        guard !violations.isEmpty else { return }
        let detail = violations.map { $0.sentence(about: what) }.joined(separator: "; ")
        throw WorkflowError(.validation, detail: detail, instance: task)
    }
}
