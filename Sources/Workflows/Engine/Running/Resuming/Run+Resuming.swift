import Foundation
import Promises

extension Run {
    /// How a performance of a task ended by the journal; nil for one that has to be performed, or gone on with.
    func recorded(_ task: TaskExecution, input: Value, scope: Scope) -> Promise<Outcome>? {
        guard let frame = memory(of: task) else { return nil }
        scope.reader.read(frame.positions)
        switch frame.end {
        case .completed(let output, let then): return .value(Outcome(value: output, flow: then))
        case .skipped: return .value(Outcome(value: input, flow: .continue))
        case .failed(let error): return Promise(error: error)
        case nil: return nil
        }
    }

    /// What a task found out before the run was resumed, or else finds out and records.
    func decide(_ what: String, in task: TaskExecution, _ find: () throws -> Value) rethrows -> Value {
        if let known = memory(of: task)?.decisions[what] { return known }
        let value = try find()
        if task != .run { record(.decided(task.task, what: what, value: value), task.occurrence) }
        return value
    }

    /// A length of time that is computed once, also when the run is resumed meanwhile.
    func decide(
        _ what: String, in task: TaskExecution, _ source: DurationSource, _ data: Value, _ scope: Scope
    ) throws -> Duration {
        guard case .expression = source else { return try duration(source, data, scope) }
        let seconds = try decide(what, in: task) { .double(try duration(source, data, scope).seconds) }
        return .seconds(seconds.double ?? 0)
    }

    /// How much is left of a time that began at a moment, which may be over.
    func rest(of duration: Duration, since start: Date?) -> Duration {
        guard let start else { return duration }
        return max(.zero, duration - .seconds(max(0, runner.now().timeIntervalSince(start))))
    }

    /// Goes on with the runs that no task waits for and that were at work when the journal ended.
    ///
    /// One whose task had not ended is gone on with by that task.
    func resumeLeftRuns() {
        guard let replay = journal.replay else { return }
        for inner in replay.inner where inner.parent.run == id {
            let task = TaskExecution(inner.parent.task, inner.parent.occurrence)
            guard workflow.document.value[task.task]?["run"]?["await"]?.bool == false,
                let state = replay.states[inner.run], !state.hasEnded,
                !isResumed || !isActive(task),
                let definition = try? library.workflow(inner.workflow)
            else { continue }
            let run = Run(definition, by: runner, inside: self, at: task, resuming: inner.run)
            innerRuns.leave(run, run.perform(state.start?.input ?? [:]), at: task.task)
        }
    }

    /// Ends the run so that it can be resumed, as soon as nothing is on its way that must be done once.
    func suspend() {
        guard journal.stop() else { return }
        finishSuspension()
    }

    /// Records that the run is interrupted, and ends what is at work.
    func finishSuspension() {
        record(.workflowSuspended)
        journal.flush()
        journal.end(with: RunSuspended(run: id))
    }
}
