import Foundation
import Promises

extension LiveTaskPerformer {
    /// Performs tasks, and retries them or handles the error if they raise one that is caught.
    ///
    /// The tasks are retried as often as the retry policy allows; then `catch.do` handles the error. If there is
    /// neither, the error is dropped and the output is the input. If there are retries but no `catch.do`, the last
    /// error is raised to the tasks around this one.
    func perform(_ attempt: Workflow.Try, _ task: ActiveTask) -> Promise<Outcome> {
        let handler = attempt.catch
        let runner = run.runner
        let known = run.memory(of: task.execution)
        let spent = known?.startedAt.map { runner.now().timeIntervalSince($0) } ?? 0
        let startedAt = runner.clock.now - .seconds(max(0, spent))
        if let error = known?.decisions["catch"]?.object, let tasks = handler.tasks {
            let failed = task.defining(handler.variable, as: .object(error))
            return perform(tasks, input: task.input, scope: failed.scope)
        }
        let first = known?.retry?.attempt ?? 1
        // Continues the wait in which the run was interrupted.
        let rest = known?.retry.map { $0.beginsAt.timeIntervalSince(runner.now()) } ?? 0
        guard rest > 0 else {
            return perform(attempt, from: first, known, since: startedAt, task)
        }
        return runner.clock.pause(for: .seconds(rest)).then {
            perform(attempt, from: first, known, since: startedAt, task)
        }
    }

    /// Performs the attempts from the first one that is left.
    /// - Parameters:
    ///   - known: What the journal knows of the task.
    ///   - startedAt: When the task began, by the clock.
    private func perform(
        _ attempt: Workflow.Try, from first: Int, _ known: RunState.Frame?, since startedAt: Duration,
        _ task: ActiveTask
    ) -> Promise<Outcome> {
        let handler = attempt.catch
        return repeating(first) { number -> Promise<Step<Int, Outcome>> in
            let start = number == first ? known.map { $0.retry?.beginsAt ?? $0.startedAt ?? $0.createdAt } : nil
            let inner = handler.retry == nil ? task.scope : task.scope.inside("try:\(number)")
            return try run.within(
                handler.retry?.attemptDuration, since: start, as: "attempt \(number)", input: task.input,
                scope: task.scope
            ) { perform(attempt.tasks, input: task.input, scope: inner) }.map { .done($0) }.recover {
                error -> Promise<Step<Int, Outcome>> in
                let error = WorkflowError(error, at: task.reference)
                let failed = task.defining(handler.variable, as: .object(error.members))
                guard try run.isCaught(error, by: handler, failed) else { throw error }
                let elapsed = run.runner.clock.now - startedAt
                if let policy = handler.retry,
                    let wait = try run.wait(
                        beforeRetry: number, by: policy, of: handler, after: error, elapsed: elapsed, failed)
                {
                    run.record(
                        .taskRetried(task.reference, attempt: number + 1, delay: wait, error: error), task.occurrence)
                    return run.runner.clock.pause(for: wait).map { .again(number + 1) }
                }
                guard let tasks = handler.tasks else {
                    if handler.retry != nil { throw error }
                    return .value(.done(Outcome(value: task.input, flow: .continue)))
                }
                _ = run.decide("catch", in: task.execution) { .object(error.members) }
                return perform(tasks, input: task.input, scope: failed.scope).map { .done($0) }
            }
        }
    }
}

extension DryTaskPerformer {
    /// Plans tasks and their error handler, which is certain if they fail in the plan, and otherwise possible.
    func perform(_ attempt: Workflow.Try, _ task: ActiveTask) -> Promise<Outcome> {
        let handler = attempt.catch
        let before = run.context
        planner.open(PlannedBranch(.tasks))
        return perform(attempt.tasks, input: task.input, scope: task.scope).then { outcome -> Promise<Outcome> in
            let tried = planner.close(outcome.flow == .end ? .workflow : nil)
            guard tried.mayFail else { return .value(outcome) }
            let retry = try handler.retry.map { try run.planned($0, task) }
            planner.note { $0.retry = retry }
            return plan(handler, after: outcome, context: before, task)
        }.recover { error -> Promise<Outcome> in
            let error = WorkflowError(error, at: task.reference)
            planner.close(.fault(error))
            let failed = task.defining(handler.variable, as: .object(error.members))
            guard try run.isCaught(error, by: handler, failed) else { throw error }
            guard let tasks = handler.tasks else {
                if handler.retry != nil { throw error }
                return .value(Outcome(value: task.input, flow: .continue))
            }
            planner.open(PlannedBranch(.handler, handler.words))
            return perform(tasks, input: task.input, scope: failed.scope).map { outcome in
                planner.close(outcome.flow == .end ? .workflow : nil)
                return outcome
            }
        }
    }

    /// Plans the error handler of tasks that do not fail in the plan.
    private func plan(
        _ handler: Workflow.Catch, after outcome: Outcome, context before: Value, _ task: ActiveTask
    ) -> Promise<Outcome> {
        let words = handler.words
        let after = run.context
        // Without a handler, the last error is raised to the tasks around this one.
        guard handler.tasks != nil || handler.retry == nil else { return .value(outcome) }
        planner.open(PlannedBranch(.handler, words, .failure(words)))
        run.context = before
        let failed = task.defining(handler.variable, as: handler.symbolicError(planner))
        return perform(handler.tasks ?? [], input: task.input, scope: failed.scope).map { handled in
            planner.close(handled.flow == .end ? .workflow : nil)
            guard outcome.flow != .end || handled.flow != .end else {
                return Outcome(
                    value: planner.join(outcome.value, handled.value, named: task.name, isExpected: true), flow: .end)
            }
            if outcome.flow == .end {
                planner.noteEnding(outcome.value, of: run.id)
                return handled
            }
            if handled.flow == .end {
                planner.noteEnding(handled.value, of: run.id)
                run.context = after
                return outcome
            }
            run.context = planner.join(after, run.context, named: task.name, isExpected: true)
            return Outcome(
                value: planner.join(outcome.value, handled.value, named: task.name, isExpected: true), flow: .continue)
        }.recover { error -> Promise<Outcome> in
            let error = WorkflowError(error, at: task.reference)
            guard !error.is(.cancelled) else { throw error }
            planner.close(.fault(error))
            run.context = after
            return .value(outcome)
        }
    }
}

extension Run {
    /// Whether a handler catches an error, which its conditions can read.
    fileprivate func isCaught(
        _ error: WorkflowError, by handler: Workflow.Catch, _ task: ActiveTask
    ) throws(WorkflowError) -> Bool {
        // A cancellation is never caught.
        guard !error.is(.cancelled), handler.filter?.matches(error) ?? true else { return false }
        guard try holds(handler.when, task.input, task.scope) else { return false }
        guard let exception = handler.exceptWhen else { return true }
        return try !holds(exception, task.input, task.scope)
    }
}

extension ErrorFilter {
    /// Whether an error matches; `details` is the standard's name here for the error's `detail`.
    func matches(_ error: WorkflowError) -> Bool {
        members.allSatisfy { name, value in error.members[name == "details" ? "detail" : name] == value }
    }
}

extension PlannedBranch {
    /// Whether something in it can fail at run time.
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
    /// Whether it can fail at run time; a request that was already sent cannot.
    fileprivate var mayFail: Bool {
        if case .request(let request) = self { request.status == nil } else { true }
    }
}

extension Workflow.Catch {
    /// The errors that are caught, in words.
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
