extension DryTaskPerformer {
    /// The tasks of an attempt, as they are planned.
    private struct Attempt: Sendable {
        var branch: PlannedBranch
        var result: Result<Outcome, WorkflowError>
        /// What is known of the context at their begin, and wherever they may fail.
        var before: Value
        var inside: Value

        func mayFail(_ handler: Workflow.Catch) -> Bool {
            branch.mayFail || handler.retry?.attemptDuration != nil
        }
    }

    /// Plans tasks and their error handler, which is certain if they fail in the plan, and otherwise possible.
    ///
    /// Each attempt begins with the context that the previous one left. The outcome leads to where the task or its
    /// `catch` continues.
    func perform(_ definition: Workflow.Try, _ task: ActiveTask) -> Promise<Outcome> {
        let handler = definition.catch
        let known = run.memory(of: task.execution)
        if case .object(let error)? = known?.decisions["catch"], let tasks = handler.tasks {
            planner.open(PlannedBranch(.tasks))
            planner.close(.fault(WorkflowError(error)))
            planner.open(PlannedBranch(.handler, handler.words))
            return perform(tasks, with: .object(error), by: handler, task)
        }
        guard handler.retry != nil else {
            return planAttempt(of: definition.tasks, in: task.scope, task).then {
                try follow($0, with: handler, of: task)
            }
        }
        let begun = task.scope.inside("try:\(known?.retry?.attempt ?? 1)")
        guard run.hasBegun(definition.tasks, begun) else {
            return planAttempts(of: definition, from: task.scope.context, task).then {
                try follow($0, with: handler, of: task)
            }
        }
        return planAttempt(of: definition.tasks, in: begun, task).then { attempt -> Promise<Outcome> in
            let outcome = try? attempt.result.get()
            if let outcome, !attempt.mayFail(handler) { return .value(outcome.followed(by: task.then)) }
            // Another attempt performs what the one in progress has done already.
            let words = "\(handler.words), in another attempt"
            let branch = PlannedBranch(.handler, words, .failure(words))
            return planAttempts(of: definition, from: attempt.inside, as: branch, task).then {
                try follow($0, with: handler, of: task)
            }.map { again in
                guard let outcome else { return again }
                return planner.join(
                    outcome.followed(by: task.then), again, named: task.name, isExpected: true)
            }
        }
    }

    /// Plans attempts of which nothing is known: one stands for all.
    private func planAttempts(
        of definition: Workflow.Try, from context: Value, as branch: PlannedBranch = PlannedBranch(.tasks),
        _ task: ActiveTask
    ) -> Promise<Attempt> {
        let scope = task.scope.inside("try:*")
        return planRounds(of: task, from: task.input, context) { rounds in
            planAttempt(of: definition.tasks, in: scope.with(context: rounds.context), as: branch, task)
        } next: { attempt, _ in
            (task.input, attempt.inside)
        }.map(\.value)
    }

    /// Plans tasks in the open branch of an error handler.
    private func perform(
        _ tasks: [Workflow.Task], with error: Value, by handler: Workflow.Catch, _ task: ActiveTask
    ) -> Promise<Outcome> {
        let scope = task.failed(with: error, as: handler.variable).scope
        return perform(tasks, input: task.input, scope: scope).map { outcome in
            planner.close(outcome.flow == .end ? .workflow : nil)
            return outcome.withContext(or: task.scope.context).followed(by: handler.then ?? task.then)
        }
    }

    private func planAttempt(
        of tasks: [Workflow.Task], in scope: Scope, as branch: PlannedBranch = PlannedBranch(.tasks), _ task: ActiveTask
    ) -> Promise<Attempt> {
        planner.open(branch)
        return perform(tasks, input: task.input, scope: scope).map { outcome in
            .success(outcome.withContext(or: scope.context))
        }.recover { error -> Promise<Result<Outcome, WorkflowError>> in
            let error = WorkflowError(error, at: task.reference)
            guard !error.is(.cancelled) else { throw error }
            return .value(.failure(error))
        }.map { result in
            let branch: PlannedBranch
            let last: Value?
            switch result {
            case .success(let outcome):
                (branch, last) = (planner.close(outcome.flow == .end ? .workflow : nil), outcome.context)
            case .failure(let error): (branch, last) = (planner.close(.fault(error)), error.context)
            }
            let inside = context(inside: branch, endingWith: last ?? scope.context)
            return Attempt(branch: branch, result: result, before: scope.context, inside: inside)
        }
    }

    /// What is known of the context wherever a branch may fail.
    private func context(inside branch: PlannedBranch, endingWith last: Value) -> Value {
        let contexts = branch.tasks.flatMap(\.withDescendants).compactMap(\.context) + [last]
        return contexts.dropFirst().reduce(contexts.first ?? last) { known, other in
            known == other ? known : planner.join(known, other, named: "context")
        }
    }

    /// Plans what follows an attempt: the tasks after it, and the error handler if it fails or may fail.
    private func follow(
        _ attempt: Attempt, with handler: Workflow.Catch, of task: ActiveTask
    ) throws -> Promise<Outcome> {
        let task = task.with(context: attempt.before)
        switch attempt.result {
        case .failure(let error): return try perform(handler, after: error, of: attempt, task)
        case .success(let outcome):
            guard attempt.mayFail(handler) else {
                return .value(outcome.followed(by: task.then))
            }
            let retry = try handler.retry.map { try run.planned($0, task.with(context: attempt.inside)) }
            planner.note { $0.retry = retry }
            return plan(handler, after: outcome, context: attempt.inside, task)
        }
    }

    /// Plans the error handler of tasks that fail in the plan.
    private func perform(
        _ handler: Workflow.Catch, after error: WorkflowError, of attempt: Attempt, _ task: ActiveTask
    ) throws -> Promise<Outcome> {
        let last = error.context ?? task.scope.context
        let failed = task.with(context: last).defining(handler.variable, as: .object(error.members))
        let isCaught = try isCaught(error, by: handler, failed)
        guard isCaught != false || attempt.branch.mayFail else { throw error }
        if isCaught != nil, isCaught == false {
            // Another error may come first.
            return plan(handler, after: nil, context: attempt.inside, task).map { _ in throw error }
        }
        if let policy = handler.retry, try mayRetry(policy, after: error, failed) {
            let retry = try run.planned(policy, failed)
            planner.note { $0.retry = retry }
        }
        guard let tasks = handler.tasks else {
            if handler.retry != nil, handler.then == nil { throw error }
            return .value(Outcome(value: task.input, flow: handler.then ?? task.then, context: last))
        }
        // Only the last task is certain to fail with this error.
        let mayFailBefore = attempt.branch.tasks.dropLast().contains(where: \.mayFail)
        let known = mayFailBefore ? handler.unknownError(planner) : .object(error.members)
        let context = mayFailBefore ? attempt.inside : last
        planner.open(PlannedBranch(.handler, handler.words, isCaught == nil ? .failure(handler.words) : .certain))
        return perform(tasks, with: known, by: handler, task.with(context: context))
    }

    private func mayRetry(
        _ policy: RetryPolicy, after error: WorkflowError, _ task: ActiveTask
    ) throws(WorkflowError) -> Bool {
        let raised = Value.object(error.members)
        if let when = policy.when, try task.scope.truth(of: when, raised) == false { return false }
        guard let exception = policy.exceptWhen else { return true }
        return try task.scope.truth(of: exception, raised) != true
    }

    /// Whether a handler catches an error; nil if only a run can tell.
    private func isCaught(
        _ error: WorkflowError, by handler: Workflow.Catch, _ task: ActiveTask
    ) throws(WorkflowError) -> Bool? {
        guard !error.is(.cancelled) else { return false }
        var isCaught: Bool? = true
        for (name, value) in handler.filter?.members ?? [:] {
            let member = error.members[ErrorFilter.member(name)]
            if ErrorFilter.isWanted(value, member, as: name) { continue }
            guard member?.holdsUnknown ?? false else { return false }
            isCaught = nil
        }
        let raised = Value.object(error.members)
        if let when = handler.when {
            switch try task.scope.truth(of: when, raised) {
            case false?: return false
            case nil: isCaught = nil
            case true?: break
            }
        }
        if let exception = handler.exceptWhen {
            switch try task.scope.truth(of: exception, raised) {
            case true?: return false
            case nil: isCaught = nil
            case false?: break
            }
        }
        return isCaught
    }

    /// Plans the error handler of tasks that may fail.
    ///
    /// `outcome` is theirs if they do not fail, nil if they do; `context` is known where they fail.
    private func plan(
        _ handler: Workflow.Catch, after outcome: Outcome?, context: Value, _ task: ActiveTask
    ) -> Promise<Outcome> {
        let words = handler.words
        let after = outcome?.context ?? task.scope.context
        let unhandled = outcome ?? Outcome(value: task.input, flow: .continue, context: after)
        // Without a handler, the last error of the retries is raised to the tasks around this one.
        guard handler.tasks != nil || handler.retry == nil || handler.then != nil else {
            return .value(unhandled.followed(by: task.then))
        }
        planner.open(PlannedBranch(.handler, words, .failure(words)))
        let failed = task.with(context: context).failed(with: handler.unknownError(planner), as: handler.variable)
        return perform(handler.tasks ?? [], input: task.input, scope: failed.scope).map { handled in
            let handled = handled.withContext(or: context)
            planner.close(handled.flow == .end ? .workflow : nil)
            let then = handler.then ?? task.then
            guard let outcome else { return handled.followed(by: then) }
            guard outcome.flow != .end || handled.flow != .end else {
                return planner.join(outcome, handled, named: task.name, isExpected: true)
            }
            if outcome.flow == .end {
                planner.noteEnding(outcome, of: run.id)
                return handled.followed(by: then)
            }
            if handled.flow == .end {
                planner.noteEnding(handled, of: run.id)
                return outcome.followed(by: task.then)
            }
            var joined = planner.join(outcome, handled, named: task.name, isExpected: true)
            joined.flow = then
            guard then != task.then else { return joined }
            let ways = [
                PlannedAlternative(title: "no error", certainty: .case("no error", nil), flow: task.then),
                PlannedAlternative(title: words, certainty: .failure(words), flow: then),
            ]
            (joined.flow, joined.alternatives) = (.continue, ways)
            return joined
        }.recover { error -> Promise<Outcome> in
            let error = WorkflowError(error, at: task.reference)
            guard !error.is(.cancelled) else { throw error }
            planner.close(.fault(error))
            return .value(unhandled.followed(by: task.then))
        }
    }
}

extension PlannedBranch {
    var mayFail: Bool { tasks.contains(where: \.mayFail) }
}

extension PlannedTask {
    /// Whether it can fail at run time: on unknown data, expressions and checks can fail as well.
    var mayFail: Bool {
        switch outcome {
        case .skipped: return false
        case .faulted, .unknown: return true
        case .performed: break
        }
        let readsUnknown =
            input?.holdsUnknown ?? false || context?.holdsUnknown ?? false || locals.contains { $0.value.holdsUnknown }
        return readsUnknown || steps.contains(where: \.mayFail) || timeout != nil || kind == .listen
            || subject == Approver.function || branches.contains(where: \.mayFail)
    }
}

extension PlannedStep {
    /// Whether it can fail at run time; a request that was already sent cannot.
    fileprivate var mayFail: Bool {
        if case .request(let request) = self { request.status == nil } else { true }
    }
}

extension Workflow.Catch {
    var words: String {
        var parts: [String] = []
        for (name, value) in filter?.members ?? [:] {
            let text = value.string ?? value.json()
            parts.append(
                name == "type"
                    ? "of type \(text.split(separator: "/").last.map(String.init) ?? text)" : "with \(name) \(text)")
        }
        if let when { parts.append("where \(when.shown)") }
        if let exceptWhen { parts.append("unless \(exceptWhen.shown)") }
        return parts.isEmpty ? "any error" : "errors " + parts.joined(separator: ", ")
    }

    /// An unknown error, with the members that the filter sets.
    fileprivate func unknownError(_ planner: Planner) -> Value {
        var members = Object()
        for member in ["type", "status", "title", "detail", "instance"] {
            members[member] = .unknown(planner.unknown("\(variable).\(member)", member == "status" ? .number : .any))
        }
        for (name, value) in filter?.members ?? [:] {
            // One of the standard's types may be raised under another of its prefixes.
            let isOpen = name == "type" && value.string.flatMap(WorkflowError.Kind.init(type:)) != nil
            if !isOpen { members[ErrorFilter.member(name)] = value }
        }
        return .unknown(Unknown(Drawing.name(variable), .object(members)))
    }
}
