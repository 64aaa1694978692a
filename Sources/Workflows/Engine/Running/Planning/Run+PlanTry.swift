import Promises

extension Run {
    /// Plans tasks, and what is done where they fail: for certain where they do in the plan, else marked as possible.
    func plan(
        _ attempt: Workflow.Try, of task: Workflow.Task, input: Value, scope: Scope, _ planner: Planner
    ) -> Promise<Outcome> {
        let handler = attempt.catch
        let before = context
        planner.open(PlannedBranch(.tasks))
        return perform(attempt.tasks, input: input, scope: scope).then { outcome -> Promise<Outcome> in
            let tried = planner.close(outcome.flow == .end ? .workflow : nil)
            guard tried.mayFail else { return .value(outcome) }
            let retry = try handler.retry.map { try self.plan($0, input, scope) }
            planner.note { $0.retry = retry }
            return self.plan(handler, after: outcome, context: before, of: task, input: input, scope: scope, planner)
        }.recover { error -> Promise<Outcome> in
            let error = WorkflowError(error, at: task.reference)
            planner.close(.fault(error))
            var scope = scope
            scope.locals[handler.variable] = .object(error.members)
            guard try self.isCaught(error, by: handler, input: input, scope: scope) else { throw error }
            guard let tasks = handler.tasks else {
                if handler.retry != nil { throw error }
                return .value(Outcome(value: input, flow: .continue))
            }
            planner.open(PlannedBranch(.handler, handler.words))
            return self.perform(tasks, input: input, scope: scope).map { outcome in
                planner.close(outcome.flow == .end ? .workflow : nil)
                return outcome
            }
        }
    }

    /// Plans what is done where tasks fail that do not fail in the plan.
    private func plan(
        _ handler: Workflow.Catch, after outcome: Outcome, context before: Value, of task: Workflow.Task, input: Value,
        scope: Scope, _ planner: Planner
    ) -> Promise<Outcome> {
        let words = handler.words
        let after = context
        // An error that is tried again and then not handled goes on to the tasks around this one.
        guard handler.tasks != nil || handler.retry == nil else { return .value(outcome) }
        planner.open(PlannedBranch(.handler, words, .failure(words)))
        leave(before, in: task)
        var scope = scope
        scope.locals[handler.variable] = handler.symbolicError(planner)
        return perform(handler.tasks ?? [], input: input, scope: scope).map { handled in
            planner.close(handled.flow == .end ? .workflow : nil)
            guard outcome.flow != .end || handled.flow != .end else {
                return Outcome(
                    value: planner.join(outcome.value, handled.value, named: task.name, isExpected: true), flow: .end)
            }
            if outcome.flow == .end {
                planner.noteEnding(outcome.value, of: self.id)
                return handled
            }
            if handled.flow == .end {
                planner.noteEnding(handled.value, of: self.id)
                self.leave(after, in: task)
                return outcome
            }
            self.leave(planner.join(after, self.context, named: task.name, isExpected: true), in: task)
            return Outcome(
                value: planner.join(outcome.value, handled.value, named: task.name, isExpected: true), flow: .continue)
        }.recover { error -> Promise<Outcome> in
            let error = WorkflowError(error, at: task.reference)
            guard !error.is(.cancelled) else { throw error }
            planner.close(.fault(error))
            self.leave(after, in: task)
            return .value(outcome)
        }
    }

    /// A retry policy with its waits.
    private func plan(
        _ policy: RetryPolicy, _ input: Value, _ scope: Scope
    ) throws(WorkflowError) -> PlannedTask.Retry {
        let delay = try duration(policy.delay, input, scope)
        let jitter = try policy.jitter.map { jitter throws(WorkflowError) in try duration(jitter.to, input, scope) }
        let total = try policy.totalDuration.map { total throws(WorkflowError) in try duration(total, input, scope) }
        var (waits, sum): ([Duration], Duration) = ([], .zero)
        let most = policy.maximumRetries ?? .max
        while waits.count < min(most, 1_000) {
            let wait = policy.backoff.wait(beforeRetry: waits.count + 1, delay: delay) + (jitter ?? .zero)
            if let total, sum + wait > total { break }
            waits.append(wait)
            sum += wait
        }
        let isEndless = waits.count == 1_000 && most > 1_000
        return PlannedTask.Retry(
            attempts: isEndless ? nil : waits.count + 1, waits: Array(waits.prefix(10)),
            longestWait: isEndless ? total : sum, words: policy.words)
    }
}

extension PlannedBranch {
    /// Whether something in it can fail when the workflow runs, though it does not in the plan.
    fileprivate var mayFail: Bool {
        if case .fault = end { return true }
        return tasks.contains { task in
            if case .faulted = task.outcome { return true }
            if case .unknown = task.outcome { return true }
            return task.steps.contains(where: \.mayFail) || task.timeout != nil || task.kind == .listen
                || task.branches.contains(where: \.mayFail)
        }
    }
}

extension PlannedStep {
    /// Whether it can fail when the workflow runs: what was sent already has shown whether it does.
    fileprivate var mayFail: Bool {
        if case .request(let request) = self { request.status == nil } else { true }
    }
}

extension Workflow.Catch {
    /// Which errors lead here, in words.
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

    /// The error that nobody knows yet, with what the filter says of it.
    fileprivate func symbolicError(_ planner: Planner) -> Value {
        let name = planner.transport.symbol(variable.asSymbolName)
        var members = Object()
        for member in ["type", "status", "title", "detail", "instance"] {
            members[member] = .string("‹\(name).\(member)›")
        }
        for (member, value) in filter?.members ?? [:] { members[member == "details" ? "detail" : member] = value }
        return .object(members)
    }
}

extension RetryPolicy {
    /// The policy in words.
    fileprivate var words: String {
        var parts: [String] = []
        switch maximumRetries {
        case nil: parts.append("again until it works")
        case 1?: parts.append("once more")
        case let count?: parts.append("up to \(count) times more")
        }
        if let delay = delay.known, delay > .zero {
            switch backoff {
            case .constant: parts.append("every \(delay.words)")
            case .linear: parts.append("after \(delay.words), then longer each time by as much")
            case .exponential: parts.append("after \(delay.words), then twice as long each time")
            }
        }
        if let to = jitter?.to.known { parts.append("with up to \(to.words) more at random") }
        if let when { parts.append("where \(when.shown)") }
        if let exceptWhen { parts.append("unless \(exceptWhen.shown)") }
        if let limit = totalDuration?.known { parts.append("for \(limit.words) at most") }
        return parts.joined(separator: ", ")
    }
}
