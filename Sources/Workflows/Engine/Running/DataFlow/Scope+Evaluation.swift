extension Scope {
    func transform(_ template: Template?, _ data: Value) throws(WorkflowError) -> Value {
        guard let template else { return data }
        return try evaluate(template, data)
    }

    func evaluate(_ template: Template, _ data: Value) throws(WorkflowError) -> Value {
        try evaluator.demandSecrets(of: template.reads.map(\.path), in: task?.task.reference)
        do {
            return try evaluator.evaluate(template, data, self)
        } catch {
            try endIfInterrupted()
            let detail = error.findings.map(\.error.message).joined(separator: "; ")
            var failure = WorkflowError(.expression, detail: detail, instance: task?.task.reference, cause: error)
            failure.place = WorkflowError.Place(expression: error.findings.first?.expression)
            throw failure
        }
    }

    func evaluate(_ expression: Expression, _ data: Value) throws(WorkflowError) -> Value {
        try evaluator.demandSecrets(of: expression.reads, in: task?.task.reference)
        do {
            return try evaluator.evaluate(expression, data, self)
        } catch {
            try endIfInterrupted()
            throw WorkflowError(of: expression, error.message, in: task?.task, cause: error)
        }
    }

    /// Whether a condition holds: any result but `false` and `null` is true, as in jq.
    func holds(_ condition: Expression?, _ data: Value) throws(WorkflowError) -> Bool {
        guard let condition else { return true }
        switch try evaluate(condition, data) {
        case .null, .bool(false): return false
        default: return true
        }
    }

    /// Whether a condition holds; nil if that depends on unknowns.
    func truth(of condition: Expression, _ data: Value) throws(WorkflowError) -> Bool? {
        try evaluate(condition, data).decidedTruth
    }

    /// The certainty of something that depends on a condition; nil if it certainly does not happen.
    func certainty(of condition: Expression?, _ data: Value) throws(WorkflowError) -> PlannedCertainty? {
        guard let condition else { return .certain }
        return switch try truth(of: condition, data) {
        case nil: .condition(condition.shown)
        case true?: .certain
        case false?: nil
        }
    }

    /// The duration of a source; zero if it depends on unknowns.
    func duration(_ source: DurationSource, _ data: Value) throws(WorkflowError) -> Duration {
        switch source {
        case .literal(let duration): return duration
        case .expression(let expression):
            let value = try evaluate(expression, data)
            guard !value.holdsUnknown else { return .zero }
            guard !value.holdsSecret else {
                throw WorkflowError(
                    of: expression, "a duration cannot be secret, because events show it", in: task?.task)
            }
            guard let duration = Duration(value) else {
                throw WorkflowError(
                    of: expression, "a duration was expected, but the expression returned \(value.json())",
                    in: task?.task)
            }
            return duration
        }
    }

    func endIfInterrupted() throws(WorkflowError) {
        guard interrupt.isRequested else { return }
        throw WorkflowError(
            .cancelled, detail: "a computation was interrupted", instance: task?.task.reference,
            cause: ComputationInterrupted())
    }
}

extension ActiveTask {
    func evaluate(_ template: Template) throws(WorkflowError) -> Value { try scope.evaluate(template, input) }

    func evaluate(_ template: Template?) throws(WorkflowError) -> Value {
        guard let template else { return .null }
        return try scope.evaluate(template, input)
    }
}

extension Run {
    func sent(_ data: Value) -> Value { world.sent(data) }

    private static let mostViolations = 100

    /// Fails if data does not match a schema; `scope` is the place that the data belong to.
    func check(
        _ data: Value, against schema: Schema?, as what: String, _ scope: Scope, in task: JSONPointer? = nil
    ) throws(WorkflowError) {
        guard let schema, let compiled = compiled(schema) else { return }
        let violations = compiled.validate(data, until: scope.interrupt)
        guard !violations.isEmpty else { return }
        try scope.endIfInterrupted()
        let shown = violations.prefix(Self.mostViolations).map { $0.sentence(about: what) }
        let more = violations.count > shown.count ? ["\(violations.count - shown.count) more"] : []
        let detail = (shown + more).joined(separator: "; ")
        throw WorkflowError(.validation, detail: detail, instance: task)
    }
}

extension WorkflowError {
    init(of expression: Expression?, _ detail: String, in task: Workflow.Task?, cause: (any Error)? = nil) {
        self.init(.expression, detail: detail, instance: task?.reference, cause: cause)
        place = Place(expression: expression?.source)
    }
}

/// Why a computation has no result: its task has ended.
struct ComputationInterrupted: Error {}
