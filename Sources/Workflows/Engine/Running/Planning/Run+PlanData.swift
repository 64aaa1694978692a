import Promises

extension Run {
    /// What becomes of a template over data in which symbols stand for what is not known yet.
    func plan(
        _ template: Template, _ data: Value, _ scope: Scope, _ planner: Planner
    ) throws(WorkflowError) -> Value {
        let variables = scope.values(of: template.variables)
        let name = name(in: scope)
        do {
            return try template.evaluate { expression, pointer throws(ExpressionError) in
                try expression.foresee(data, variables: variables) { path in
                    let place = pointer.tokens.map { ".\($0)" }.joined().asSymbolName
                    return planner.symbol(
                        "\(name)\(place)\(path)", from: expression.derivation(of: data, variables, at: path))
                }
            }
        } catch {
            throw Self.error(error, in: scope)
        }
    }

    /// What becomes of an expression over data in which symbols stand for what is not known yet.
    func plan(
        _ expression: Expression, _ data: Value, _ scope: Scope, _ planner: Planner
    ) throws(ExpressionError) -> Value {
        let name = name(in: scope)
        let variables = scope.values(of: expression.variables)
        return try expression.foresee(data, variables: variables) { path in
            planner.symbol("\(name)\(path)", from: expression.derivation(of: data, variables, at: path))
        }
    }

    private func name(in scope: Scope) -> String { (scope.task?.task.name ?? "workflow").asSymbolName }

    /// Plans a choice: the case that is taken, or every one that may be.
    ///
    /// Behind a case that is taken for certain no other one is asked.
    func plan(_ cases: [Workflow.Case], of task: Workflow.Task, input: Value, scope: Scope) throws -> Outcome {
        var alternatives: [PlannedAlternative] = []
        var last = cases.first { $0.condition == nil }
        for candidate in cases {
            guard let condition = candidate.condition else { continue }
            if hangs(condition, input, scope) {
                alternatives.append(
                    PlannedAlternative(
                        title: candidate.name, certainty: .case(candidate.name, condition.shown), flow: candidate.then)
                )
            } else if try holds(condition, input, scope) {
                last = candidate
                break
            }
        }
        let flow = last?.then ?? task.then
        guard !alternatives.isEmpty else {
            runner.planner?.note { $0.subject = last?.name }
            return Outcome(value: input, flow: flow)
        }
        let name = last?.name ?? "none of them"
        alternatives.append(PlannedAlternative(title: name, certainty: .case(name, nil), flow: flow))
        return Outcome(value: input, flow: .continue, alternatives: alternatives)
    }
}
