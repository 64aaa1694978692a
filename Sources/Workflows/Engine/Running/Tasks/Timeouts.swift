import Foundation
import Promises

extension Run {
    /// Performs work that must be done in time; what is still going on when the time is over is interrupted.
    /// - Parameters:
    ///   - timeout: How long it may take; nil for as long as it needs.
    ///   - start: When the work began, where that was before the run was resumed.
    ///   - what: What the limit is called among what the task finds out once.
    ///   - input: What an expression in the timeout is evaluated on.
    ///   - scope: What an expression in the timeout can read: the work is that of its task, or of the run.
    ///   - work: What to do.
    /// - Returns: What the work gives; rejected with an error of kind `timeout`, or of kind `unknown-outcome` where the
    ///   time ended while an effect that must happen once was on its way.
    func within<Result: Sendable>(
        _ timeout: DurationSource?, since start: Date?, as what: String = "timeout", input: Value, scope: Scope,
        _ work: () throws -> Promise<Result>
    ) throws -> Promise<Result> {
        guard let timeout, !runner.isPlanning else { return try work() }
        let place = scope.owner
        let limit = try decide(what, in: place, timeout, input, scope)
        let rest = start.map { limit - .seconds(max(0, runner.now().timeIntervalSince($0))) } ?? limit
        guard rest > .zero || start == nil else {
            let error = overrun(limit, of: place)
            recordInterruption(inside: place)
            throw error
        }
        let begun = runner.clock.now
        let promise = try work()
        // The work may have taken time before it let go of this thread.
        let left = rest - (runner.clock.now - begun)
        let isOver = left <= .zero && rest > .zero
        return Promise { resolver in
            let expire = { @Sendable in
                // Asked before the work is interrupted: afterwards nothing counts as begun any more.
                let error = self.overrun(limit, of: place)
                self.recordInterruption(inside: place)
                resolver.reject(error)
                promise.cancel()
            }
            let alarm = isOver ? ScheduledWork {} : runner.clock.schedule(after: left, expire)
            resolver.onCancel {
                promise.cancel()
                alarm.cancel()
            }
            if isOver { expire() }
            promise.finally { outcome in
                resolver.resolve(outcome)
                alarm.cancel()
            }
        }
    }

    /// What is on its way when the time is over.
    private enum Unsettled: Int, Comparable {
        case nothing
        /// A request of a call of the standard, for which the standard knows no other error than the timeout.
        case request
        /// An effect that must happen once.
        case effect

        static func < (left: Unsettled, right: Unsettled) -> Bool { left.rawValue < right.rawValue }
    }

    private func unsettled(in place: TaskExecution) -> Unsettled {
        let own = unsettledCalls(in: place).map { task -> Unsettled in
            // A program ends with its task, and whoever limits its time knows what that leaves behind.
            guard let function = workflow.document.value[task.task]?["call"]?.string else { return .nothing }
            return Catalog.standard[function] == nil ? .effect : .request
        }
        return (own + innerRuns.inside(place.task).map { $0.unsettled(in: .run) }).max() ?? .nothing
    }

    private func overrun(_ limit: Duration, of place: TaskExecution) -> WorkflowError {
        let what = place == .run ? "the workflow" : "the task"
        let overrun = "\(what) took longer than \(limit.seconds) s"
        switch unsettled(in: place) {
        case .nothing: return WorkflowError(.timeout, detail: overrun, instance: place.task)
        case .request:
            return WorkflowError(
                .timeout,
                detail: "\(overrun), and was interrupted while a request was on its way that may have been processed",
                instance: place.task)
        case .effect:
            return WorkflowError(
                .unknownOutcome,
                detail: "\(overrun), and was interrupted while an effect that must happen once was on its way: check "
                    + "whether it happened before running the workflow again",
                instance: place.task)
        }
    }
}
