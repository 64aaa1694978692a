import Foundation
import Promises

extension Run {
    /// Performs tasks, and where they raise an error that is caught, tries again or handles it.
    ///
    /// The tasks are tried again as often as the retry policy allows; then `catch.do` handles the error. Where there
    /// is neither, the error is done with, and the output is the input. An error that no retry got rid of and that no
    /// `catch.do` handles goes on to the tasks around this one.
    func perform(_ attempt: Workflow.Try, of task: Workflow.Task, input: Value, scope: Scope) -> Promise<Outcome> {
        if let planner = runner.planner { return plan(attempt, of: task, input: input, scope: scope, planner) }
        let handler = attempt.catch
        let execution = scope.execution(of: task)
        let known = memory(of: execution)
        let spent = known?.startedAt.map { runner.now().timeIntervalSince($0) } ?? 0
        let startedAt = runner.clock.now - .seconds(max(0, spent))
        if let error = known?.decisions["catch"]?.object, let tasks = handler.tasks {
            return handle(WorkflowError(error), by: tasks, handler, input: input, scope: scope)
        }
        let first = known?.retry?.attempt ?? 1
        // The wait goes on that the run was interrupted in.
        let rest = known?.retry.map { $0.beginsAt.timeIntervalSince(runner.now()) } ?? 0
        guard rest > 0 else {
            return perform(attempt, from: first, known, since: startedAt, of: task, input: input, scope: scope)
        }
        return runner.clock.pause(for: .seconds(rest)).then {
            self.perform(attempt, from: first, known, since: startedAt, of: task, input: input, scope: scope)
        }
    }

    /// Performs the attempts from one on.
    /// - Parameters:
    ///   - first: The number of the first one.
    ///   - known: What a journal says of the task.
    ///   - startedAt: When the task began, by the clock.
    private func perform(
        _ attempt: Workflow.Try, from first: Int, _ known: RunState.Frame?, since startedAt: Duration,
        of task: Workflow.Task, input: Value, scope: Scope
    ) -> Promise<Outcome> {
        let handler = attempt.catch
        let execution = scope.execution(of: task)
        return repeating(first) { number -> Promise<Step<Int, Outcome>> in
            let start = number == first ? known.map { $0.retry?.beginsAt ?? $0.startedAt ?? $0.createdAt } : nil
            return try self.within(
                handler.retry?.attemptDuration, of: execution, since: start, as: "attempt \(number)", scope: scope,
                input: input
            ) {
                self.perform(
                    attempt.tasks, input: input, scope: handler.retry == nil ? scope : scope.inside("try:\(number)"))
            }.map { .done($0) }.recover { error -> Promise<Step<Int, Outcome>> in
                let error = WorkflowError(error, at: task.reference)
                var scope = scope
                scope.locals[handler.variable] = .object(error.members)
                guard try self.isCaught(error, by: handler, input: input, scope: scope) else { throw error }
                let elapsed = self.runner.clock.now - startedAt
                if let policy = handler.retry,
                    let wait = try self.wait(
                        beforeRetry: number, by: policy, of: handler, after: error, elapsed: elapsed, input: input,
                        scope: scope)
                {
                    self.record(
                        .taskRetried(task.reference, attempt: number + 1, delay: wait, error: error), scope.occurrence)
                    return self.runner.clock.pause(for: wait).map { .again(number + 1) }
                }
                guard let tasks = handler.tasks else {
                    if handler.retry != nil { throw error }
                    return .value(.done(Outcome(value: input, flow: .continue)))
                }
                _ = self.decide("catch", in: execution) { .object(error.members) }
                return self.handle(error, by: tasks, handler, input: input, scope: scope).map { .done($0) }
            }
        }
    }

    private func handle(
        _ error: WorkflowError, by tasks: [Workflow.Task], _ handler: Workflow.Catch, input: Value, scope: Scope
    ) -> Promise<Outcome> {
        var scope = scope
        scope.locals[handler.variable] = .object(error.members)
        return perform(tasks, input: input, scope: scope)
    }

    func isCaught(
        _ error: WorkflowError, by handler: Workflow.Catch, input: Value, scope: Scope
    ) throws(WorkflowError) -> Bool {
        // A run that is cancelled ends, whatever the file says of errors.
        guard !error.is(.cancelled), handler.filter?.matches(error) ?? true else { return false }
        guard try holds(handler.when, input, scope) else { return false }
        guard let exception = handler.exceptWhen else { return true }
        return try !holds(exception, input, scope)
    }

    /// The wait before the next attempt, or nil where there shall be none.
    private func wait(
        beforeRetry retry: Int, by policy: RetryPolicy, of handler: Workflow.Catch, after error: WorkflowError,
        elapsed: Duration, input: Value, scope: Scope
    ) throws(WorkflowError) -> Duration? {
        // What may have happened already is repeated only where the file names this very error.
        if error.is(.unknownOutcome), handler.filter?.members["type"]?.string != error.type { return nil }
        guard retry <= policy.maximumRetries ?? .max, try holds(policy.when, input, scope) else { return nil }
        if let exception = policy.exceptWhen, try holds(exception, input, scope) { return nil }
        let delay = try duration(policy.delay, input, scope)
        var wait = policy.backoff.wait(beforeRetry: retry, delay: delay)
        if let jitter = policy.jitter {
            let from = try duration(jitter.from, input, scope)
            let to = try duration(jitter.to, input, scope)
            wait += from + .seconds(max(0, (to - from).seconds) * runner.random())
        }
        if let total = policy.totalDuration, elapsed + wait > (try duration(total, input, scope)) { return nil }
        return wait
    }
}

extension ErrorFilter {
    /// Whether an error is like this; `details` stands for the error's `detail`, as the standard spells it here.
    func matches(_ error: WorkflowError) -> Bool {
        members.allSatisfy { name, value in error.members[name == "details" ? "detail" : name] == value }
    }
}
