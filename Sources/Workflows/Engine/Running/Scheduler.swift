public import Foundation
public import Promises

/// Starts a workflow's runs at the times of its schedule, until it is stopped.
///
/// Specification: dsl-reference.md, "Schedule". A run that fails stops nothing: the next one starts in its time.
public struct Scheduler: Sendable {
    /// Longer than this, no wait goes on without a look at the wall clock, which somebody may set meanwhile.
    private static let longestWait = Duration.seconds(30)

    private let workflow: Workflow
    private let schedule: Schedule
    private let timeZone: TimeZone
    private let clock: any PromiseClock
    private let now: @Sendable () -> Date
    private let runner: Runner
    private let start: @Sendable (_ input: Value) -> Promise<Void>
    private let runs = Locked((next: 0, active: [Int: Promise<Void>]()))

    /// Creates the scheduler of a workflow; nil for one without a schedule.
    /// - Parameters:
    ///   - workflow: The workflow.
    ///   - runner: Who runs it; its clock and its `now` are those of the schedule, and its events are those that start
    ///     runs, too.
    ///   - timeZone: The clocks that a cron expression means.
    ///   - onEnd: Is called with how each run ended.
    public init?(
        _ workflow: Workflow, by runner: Runner, in timeZone: TimeZone = .current,
        onEnd: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        guard let schedule = workflow.schedule else { return nil }
        self.workflow = workflow
        self.runner = runner
        self.schedule = schedule
        self.timeZone = timeZone
        clock = runner.clock
        now = runner.now
        start = { input in
            let run = runner.run(workflow, input: input)
            return run.get { onEnd(.success($0)) }.asVoid().recover(policy: .allErrors) { error -> Promise<Void> in
                onEnd(.failure(error))
                return .value(())
            }
        }
    }

    /// How many runs are going on.
    public var activeRuns: Int { runs.withLock { $0.active.count } }

    /// Is fulfilled when each run that is going on now is over, and `onEnd` was called with its end.
    public var noneLeft: Guarantee<Void> { when(resolved: runs.withLock { Array($0.active.values) }).asVoid() }

    /// Starts runs until the promise is cancelled, which ends those that are going on as well.
    /// - Returns: A promise that is fulfilled only where the schedule has no time any more.
    public func run() -> Promise<Void> {
        let waits: Promise<Void> =
            switch schedule {
            case .every(let interval): every(interval)
            case .cron(let expression): cron(expression)
            case .after(let delay): after(delay)
            case .on(let events): on(events)
            }
        return waits.onCancel {
            for run in self.runs.withLock({ $0.active.values }) { run.cancel() }
        }
    }

    /// At once, and then each time that the interval is over, whether or not the run before is.
    private func every(_ interval: Duration) -> Promise<Void> {
        let beginning = clock.now
        return repeating(0) { count -> Promise<Step<Int, Void>> in
            begin()
            let elapsed = clock.now - beginning
            // A machine that slept has missed times: they are not made up for.
            let next = max(count + 1, Int((elapsed.seconds / interval.seconds).rounded(.down)) + 1)
            return clock.pause(for: interval * next - elapsed).map { .again(next) }
        }
    }

    /// Each time that the clocks of the time zone show a time of the expression.
    private func cron(_ expression: CronExpression) -> Promise<Void> {
        repeating(expression.next(after: now(), in: timeZone)) { time -> Promise<Step<Date?, Void>> in
            guard let time else { return .value(.done(())) }
            let rest = Duration.seconds(time.timeIntervalSince(now()))
            guard rest <= .zero else {
                return clock.pause(for: min(rest, Self.longestWait)).map {
                    // A wall clock that was set back a good deal makes another time the next one.
                    let isFar = time.timeIntervalSince(now()) > rest.seconds + 60
                    return .again(isFar ? expression.next(after: now(), in: timeZone) : time)
                }
            }
            begin()
            return .value(.again(expression.next(after: max(time, now()), in: timeZone)))
        }
    }

    /// At once, and again that long after each run is over.
    private func after(_ delay: Duration) -> Promise<Void> {
        repeating(()) { _ -> Promise<Step<Void, Void>> in
            begin().then { clock.pause(for: delay) }.map { .again(()) }
        }
    }

    /// Each time that the events have come, which are the run's input; those that came before this began do not count.
    ///
    /// Specification: dsl.md, "Event-driven scheduling". An expression in a filter that fails says that an event does not
    /// fit: nothing of that is seen by a run.
    private func on(_ events: EventConsumption) -> Promise<Void> {
        guard let bus = runner.events else { return .value(()) }
        // Nothing is performed in it: it is what the filters' expressions are evaluated in.
        let run = Run(workflow, by: runner, library: WorkflowLibrary(folder: workflow.folder))
        let scope = Scope(run: run, workflowInput: .null, reader: EventReader(from: bus.end))
        typealias Progress = (selection: EventSelection, taken: [Value], position: Int)
        let start: Progress = (EventSelection(events), [], bus.end)
        return repeating(start) { progress -> Promise<Step<Progress, Void>> in
            var (selection, taken, position) = progress
            guard let next = bus.event(from: position) else {
                return bus.arrival(at: position).map { .again(progress) }
            }
            position = next.position + 1
            let verdict = selection.offer(next.event) { run.match($0, $1, $2, input: .null, scope: scope) }
            if case .taken = verdict {
                taken.append(next.event.envelope)
                if case .any(_, .condition(let condition)?) = events,
                    (try? run.holds(condition, .array(taken), scope)) == true
                {
                    selection.complete()
                }
            }
            guard selection.isComplete else { return .value(.again((selection, taken, position))) }
            begin(with: .array(taken))
            return .value(.again((EventSelection(events), [], position)))
        }
    }

    /// Starts a run, and notes it until it is over.
    @discardableResult private func begin(with input: Value = [:]) -> Promise<Void> {
        // Counted from here on, although it is known only when it has begun.
        let number = runs.withLock { runs in
            runs.next += 1
            runs.active[runs.next] = .value(())
            return runs.next
        }
        let run = start(input)
        runs.withLock { $0.active[number] = run }
        let end = run.ensure { self.runs.withLock { $0.active[number] = nil } }
        // How a run ended is reported elsewhere.
        end.catch(policy: .allErrors) { _ in }
        return end
    }
}
