/// The world of a run that sends its requests and starts its programs.
final class LiveWorld: World {
    /// The plan that the run follows; nil for none.
    let approval: Approval?

    init(approval: Approval? = nil) { self.approval = approval }

    var limitsTime: Bool { true }
    var startsPrograms: Bool { true }
    var keepsEvents: Bool { true }
    var opensSeals: Bool { true }
    var now: Date? { approval?.plannedAt }

    var names: KnownNames? { nil }
    var fileWatch: FileWatch? {
        approval.map { approval in
            FileWatch(expecting: approval.files, ofAll: approval.hasAllFiles) { approval.note(PlanDeviation($0)) }
        }
    }

    func performer(of run: Run) -> any TaskPerformer { LiveTaskPerformer(run: run) }

    func evaluate(
        _ template: Template, _ data: Value, _ variables: [String: Value], _ environment: Expression.Environment,
        marks: Bool, in scope: Scope
    ) throws(TemplateError) -> Value {
        try template.evaluate(data, variables: variables, environment: environment, marks: marks)
    }

    func evaluate(
        _ expression: Expression, _ data: Value, _ variables: [String: Value], _ environment: Expression.Environment,
        marks: Bool, in scope: Scope
    ) throws(ExpressionError) -> Value {
        try expression.first(data, variables: variables, environment: environment, marks: marks)
    }

    func sent(_ data: Value) -> Value { data.revealed }
    func received(_ data: Value) -> Value { data }
    func fresh(_ name: String, _ make: () -> String) -> Value { .string(make()) }
    func token(for member: String, of object: String) -> String? { nil }
    var taskStart: PlannedMoment? { nil }

    func secrets(of workflow: Workflow, from store: SecretStore, _ known: KnownSecrets) -> Object {
        var data = Object()
        for name in workflow.components.secrets {
            guard let secret = store[name]?.revealed else { continue }
            data[name] = secret.secret(of: [name])
            known.add(secret, of: [name])
        }
        return data
    }

    func hide(_ secret: Secret, of names: [String], _ known: KnownSecrets) {
        if !secret.isEmpty { known.add(.string(secret.revealed), of: names) }
    }

    func value(of secret: Secret, of names: [String], _ known: KnownSecrets) -> Value {
        secret.isEmpty ? "" : known.credential(secret.revealed, of: names)
    }

    func sent(_ secret: Secret, named name: String) -> Secret { secret }

    func scope(_ scope: Scope, with context: Value) -> Scope { scope }

    func client(for run: Run) -> GraphClient {
        var graph = run.runner.graph
        if !run.runner.isSandboxed {
            graph.credential = SearchedCredential(graph.credential, by: run.secrets.known)
        }
        graph.clock = run.runner.clock
        return graph
    }

    func begin(_ task: ActiveTask, _ certainty: PlannedCertainty, at path: @autoclosure () -> String) {}

    func conclude(
        _ outcome: Promise<Outcome>, of task: ActiveTask, _ certainty: PlannedCertainty
    ) -> Promise<Outcome> { outcome }

    func skip(_ task: ActiveTask, at path: @autoclosure () -> String) {}
    func note(_ change: (inout PlannedTask) -> Void) {}
    func take(_ output: Value, of place: @autoclosure () -> TaskExecution) { approval?.end(place(), output: output) }
    func exported(_ context: Value, of run: String, by task: String) -> Value { context }
    func end(ofRecursion call: String, _ task: ActiveTask) -> Outcome? { nil }

    func allow(_ program: ChildProgram, at place: @autoclosure () -> TaskExecution) throws(PlanDeviation) {
        try approval?.allow(program, place())
    }

    func recall(
        _ events: [Event], _ replay: JournalReplay, _ resumption: Event.Resumption,
        assuming assumption: Runner.Assumption?
    ) throws { try approval?.recall(events, replay, resumption, assuming: assumption) }
}

extension Value {
    /// The data with their texts and numbers secret.
    fileprivate func secret(of names: [String]) -> Value {
        switch self {
        case .null, .bool, .marked: return self
        case .string, .integer, .double: return .secret(self, of: names)
        case .array(let elements): return .array(elements.map { $0.secret(of: names) })
        case .object(let members):
            var secret = Object()
            for (name, member) in members { secret[name] = member.secret(of: names) }
            return .object(secret)
        }
    }
}
