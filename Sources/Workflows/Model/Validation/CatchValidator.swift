/// Finds a `catch` that no error of its `try` can reach.
struct CatchValidator: WorkflowValidator {
    func diagnostics(for workflow: WorkflowOutline) -> [Diagnostic] {
        workflow.allTasks.flatMap { task -> [Diagnostic] in
            guard case .try(let attempt) = task.action else { return [] }
            let place = task.reference.appending("catch")
            if let unknown = unknownType(in: attempt.catch.filter, at: place, of: workflow) { return [unknown] }
            let errors = attempt.tasks.map(\.possibleErrors).reduce(PossibleErrors.none) { $0.union($1) }
            switch errors {
            case .any: return []
            case .some(let known):
                guard !known.contains(where: { attempt.catch.filter?.mayMatch($0) ?? true }) else { return [] }
                let message =
                    known.isEmpty
                    ? "the tasks of this 'try' raise no error, so nothing is ever caught"
                    : "no error of this 'try' can match this filter"
                return [
                    workflow.document.diagnostic(
                        .warning, id: "never-caught", message,
                        hint: known.isEmpty
                            ? nil : "it can raise \(known.map(\.described).sorted().joined(separator: ", "))",
                        at: known.isEmpty ? place : place.appending("errors"), part: .key)
                ]
            }
        }
    }

    private func unknownType(in filter: ErrorFilter?, at place: JSONPointer, of workflow: WorkflowOutline)
        -> Diagnostic?
    {
        guard let type = filter?.members["type"]?.string else { return nil }
        let known = WorkflowError.Kind.allCases.map(\.type)
        let hosts = ["serverlessworkflow.io/", "open-workflow-specification.org/"]
        let isOwn = type.hasPrefix("urn:graphflow:") || hosts.contains { type.contains($0) }
        guard isOwn, WorkflowError.Kind(type: type) == nil else { return nil }
        return workflow.document.diagnostic(
            .warning, id: "never-caught", "no error ever has the type '\(type)'",
            hint: Diagnostic.didYouMean(type, among: known),
            at: place.appending("errors").appending("with").appending("type"))
    }
}

private enum PossibleErrors {
    case any
    /// Only errors with those members, as far as they are literal.
    case some([Object])

    static let none = PossibleErrors.some([])

    func union(_ other: PossibleErrors) -> PossibleErrors {
        guard case .some(let left) = self, case .some(let right) = other else { return .any }
        return .some(left + right)
    }
}

extension Workflow.Task {
    fileprivate var possibleErrors: PossibleErrors {
        var errors = PossibleErrors.none
        let expressions = [input.from, output.as, export.as].compactMap(\.self)
        if condition != nil || expressions.contains(where: { !$0.isConstant }) {
            errors = errors.union(.kind(.expression))
        }
        if input.schema != nil || output.schema != nil || export.schema != nil {
            errors = errors.union(.kind(.validation))
        }
        if timeout != nil { errors = errors.union(.kind(.timeout)) }
        return errors.union(action.possibleErrors)
    }
}

extension Workflow.Action {
    fileprivate var possibleErrors: PossibleErrors {
        switch self {
        case .call, .emit, .for, .fork, .listen, .run: .any
        case .do(let tasks): tasks.map(\.possibleErrors).reduce(PossibleErrors.none) { $0.union($1) }
        case .raise(let error): error.members.isConstant ? .some([error.literal]) : .any
        case .set(let template): template.isConstant ? .none : .kind(.expression)
        case .switch(let cases): cases.allSatisfy { $0.condition == nil } ? .none : .kind(.expression)
        case .try: .any
        case .wait(.literal): .none
        case .wait(.expression): .kind(.expression)
        }
    }
}

extension PossibleErrors {
    static func kind(_ kind: WorkflowError.Kind) -> PossibleErrors {
        .some([["type": .string(kind.type), "status": .integer(kind.status)]])
    }
}

extension ErrorFilter {
    /// Whether an error with those known members can match; unknown members may have any value.
    fileprivate func mayMatch(_ error: Object) -> Bool {
        ["type", "status"].allSatisfy { name in
            guard let wanted = members[name], let known = error[name] else { return true }
            return Self.isWanted(wanted, known, as: name)
        }
    }
}

extension Object {
    fileprivate var described: String { "\(self["type"]?.string ?? "an error") (\(self["status"]?.integer ?? 500))" }
}
