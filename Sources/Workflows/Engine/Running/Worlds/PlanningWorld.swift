/// The world of a plan: nothing is sent or started, and what only a run finds out is unknown.
final class PlanningWorld: World {
    let planner: Planner
    let now: Date?

    init(_ planner: Planner, at moment: Date) { (self.planner, now) = (planner, moment) }

    var limitsTime: Bool { false }
    var startsPrograms: Bool { false }
    var keepsEvents: Bool { false }
    var opensSeals: Bool { false }
    var fileWatch: FileWatch? { planner.files }
    var names: KnownNames? { planner.names }
    private var unknowns: UnknownTokens { planner.unknowns }

    func performer(of run: Run) -> any TaskPerformer { DryTaskPerformer(run: run, planner: planner) }

    func evaluate(
        _ template: Template, _ data: Value, _ variables: [String: Value], _ environment: Expression.Environment,
        marks: Bool, in scope: Scope
    ) throws(TemplateError) -> Value {
        try template.evaluate { [self] expression, pointer throws(ExpressionError) in
            try evaluate(
                expression, data, variables, environment, scope, at: pointer.tokens.map { ".\($0)" }.joined())
        }
    }

    func evaluate(
        _ expression: Expression, _ data: Value, _ variables: [String: Value], _ environment: Expression.Environment,
        marks: Bool, in scope: Scope
    ) throws(ExpressionError) -> Value { try evaluate(expression, data, variables, environment, scope, at: "") }

    /// Evaluates an expression, whose place in its template names unknowns.
    private func evaluate(
        _ expression: Expression, _ data: Value, _ variables: [String: Value], _ environment: Expression.Environment,
        _ scope: Scope, at place: String
    ) throws(ExpressionError) -> Value {
        try expression.evaluatePlanned(data, variables: variables, environment: environment) {
            path, shape, derivation in
            let name = (scope.task?.task.name ?? "workflow") + place + Planner.shown(path)
            return planner.unknown(name, shape, from: .computed(derivation))
        }
    }

    func sent(_ data: Value) -> Value { unknowns.plain(data) }
    func received(_ data: Value) -> Value { unknowns.marked(data) }
    func fresh(_ name: String, _ make: () -> String) -> Value { .unknown(planner.unknown(name, .text)) }
    // Under its own name, the object around it would be mistaken for an answer.
    func token(for member: String, of object: String) -> String? { unknowns.answer(object)(member, .text) }
    var taskStart: PlannedMoment? { PlannedMoment() }

    func secrets(of workflow: Workflow, from store: SecretStore, _ known: KnownSecrets) -> Object {
        var data = Object()
        for name in workflow.components.secrets {
            guard let secret = store[name]?.revealed else { continue }
            data[name] = known.unknown(secret, of: name, at: "secrets.\(name)")
        }
        for read in SecretsValidator.uses(of: WorkflowOutline(workflow)) {
            guard let name = read.keys.first else { continue }
            data.addUnknown(at: read.keys[...], of: name, as: "secrets", known)
        }
        return data
    }

    // A plan has unknowns instead of all of them.
    func hide(_ secret: Secret, of names: [String], _ known: KnownSecrets) {}

    func value(of secret: Secret, of names: [String], _ known: KnownSecrets) -> Value {
        .unknown(Unknown("authorization.parameter", .text))
    }

    func sent(_ secret: Secret, named name: String) -> Secret { Secret(unknowns.token(for: Unknown(name, .text))) }

    func scope(_ scope: Scope, with context: Value) -> Scope { scope.with(context: context) }

    // It skips the workflow's waits, but not the waits between requests that it sends.
    func client(for run: Run) -> GraphClient { run.runner.graph }

    func note(_ change: (inout PlannedTask) -> Void) { planner.note(change) }

    func take(_ output: Value, of place: @autoclosure () -> TaskExecution) { planner.note { $0.rawOutput = output } }

    func exported(_ context: Value, of run: String, by task: String) -> Value {
        planner.export(context, of: run, named: task)
    }

    func end(ofRecursion call: String, _ task: ActiveTask) -> Outcome? {
        guard planner.isUndecidedRecursion(call) else { return nil }
        let reason = "'\(call)' calls itself a number of times that is only known at run time"
        planner.noteGap(reason)
        planner.note { $0.outcome = .unknown(reason) }
        return Outcome(value: .unknown(planner.unknown(task.name)), flow: task.then)
    }

    func allow(_ program: ChildProgram, at place: @autoclosure () -> TaskExecution) throws(PlanDeviation) {}

    func recall(
        _ events: [Event], _ replay: JournalReplay, _ resumption: Event.Resumption,
        assuming assumption: Runner.Assumption?
    ) throws {}
}

extension KnownSecrets {
    /// The data of a secret in a plan, which knows only its structure.
    fileprivate func unknown(_ data: Value, of name: String, at path: String) -> Value {
        switch data {
        case .null, .bool, .marked: return data
        case .integer, .double: return unknown(path, .number, of: name)
        case .string: return unknown(path, .text, of: name)
        case .array(let elements):
            return .array(elements.enumerated().map { unknown($1, of: name, at: "\(path).\($0)") })
        case .object(let members):
            var unknown = Object()
            for (key, member) in members { unknown[key] = self.unknown(member, of: name, at: "\(path).\(key)") }
            return .object(unknown)
        }
    }
}

extension Object {
    /// Sets the unknown for a missing secret, at the path at which an expression reads it.
    fileprivate mutating func addUnknown(
        at keys: ArraySlice<String>, of secret: String, as path: String, _ known: KnownSecrets
    ) {
        guard let name = keys.first else { return }
        let rest = keys.dropFirst()
        let inside = "\(path).\(name)"
        switch (self[name], rest.isEmpty) {
        case (nil, true): self[name] = known.unknown(inside, .text, of: secret)
        case (nil, false), (.marked, false):
            var inner = Object()
            inner.addUnknown(at: rest, of: secret, as: inside, known)
            self[name] = .object(inner)
        case (.object(var inner), false):
            inner.addUnknown(at: rest, of: secret, as: inside, known)
            self[name] = .object(inner)
        default: break
        }
    }
}
