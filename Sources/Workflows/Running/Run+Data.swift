extension Run {
    /// Data as an expression transforms it; as it is where there is none.
    func transform(_ template: Template?, _ data: Value, _ scope: Scope) throws(WorkflowError) -> Value {
        guard let template else { return data }
        return try evaluate(template, data, scope)
    }

    /// What becomes of a template over data.
    func evaluate(_ template: Template, _ data: Value, _ scope: Scope) throws(WorkflowError) -> Value {
        try demandSecrets(of: template.reads.map(\.path), scope)
        do {
            return try template.evaluate(data, variables: scope.values(of: template.variables))
        } catch {
            // What cannot be computed from what only the world knows is not known either.
            if runner.isPlanning, data.holdsSymbol || context.holdsSymbol, let task = scope.task?.task.name {
                return .string("‹\(task).output›")
            }
            let detail = error.findings.map(\.error.message).joined(separator: "; ")
            throw WorkflowError(.expression, detail: detail, instance: scope.task?.task.reference, cause: error)
        }
    }

    /// What becomes of an expression over data.
    func evaluate(_ expression: Expression, _ data: Value, _ scope: Scope) throws(WorkflowError) -> Value {
        try demandSecrets(of: expression.reads, scope)
        do {
            return try expression.first(data, variables: scope.values(of: expression.variables))
        } catch {
            throw WorkflowError(.expression, detail: error.message, instance: scope.task?.task.reference, cause: error)
        }
    }

    /// Fails where an expression reads a secret that cannot be had.
    private func demandSecrets(
        of reads: @autoclosure () -> [Expression.StaticPath], _ scope: Scope
    ) throws(WorkflowError) {
        guard !workflow.components.secrets.isEmpty else { return }
        let names = reads().filter { $0.variable == "secrets" }.compactMap(\.keys.first)
        try secrets.demand(names, in: scope.task?.task.reference)
    }

    /// Whether a condition holds: anything but `false` and `null` does, as in jq.
    func holds(_ condition: Expression?, _ data: Value, _ scope: Scope) throws(WorkflowError) -> Bool {
        guard let condition else { return true }
        switch try evaluate(condition, data, scope) {
        case .null, .bool(false): return false
        default: return true
        }
    }

    /// A length of time, computed where it is an expression.
    func duration(_ source: DurationSource, _ data: Value, _ scope: Scope) throws(WorkflowError) -> Duration {
        switch source {
        case .literal(let duration): return duration
        case .expression(let expression):
            let value = try evaluate(expression, data, scope)
            guard let duration = Duration(value) else {
                throw WorkflowError(
                    .expression, detail: "a duration was expected, but the expression gave \(value.json())",
                    instance: scope.task?.task.reference)
            }
            return duration
        }
    }

    /// Fails where data is not what a schema asks for.
    func check(_ data: Value, against schema: Schema?, as what: String, in task: JSONPointer? = nil)
        throws(WorkflowError)
    {
        guard let schema else { return }
        let violations = schema.compiled.validate(data)
        guard !violations.isEmpty else { return }
        let detail = violations.map { $0.sentence(about: what) }.joined(separator: "; ")
        throw WorkflowError(.validation, detail: detail, instance: task)
    }
}

extension Value {
    /// Whether a text in it stands for what only a run can know.
    fileprivate var holdsSymbol: Bool {
        switch self {
        case .string(let text): text.contains("‹")
        case .array(let elements): elements.contains(where: \.holdsSymbol)
        case .object(let members): members.contains { $0.value.holdsSymbol }
        case .null, .bool, .integer, .double: false
        }
    }
}
