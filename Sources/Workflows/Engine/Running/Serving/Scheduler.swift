/// Starts a workflow's runs at the times of its schedule, until it is stopped.
///
/// Specification: dsl-reference.md, "Schedule". A run that fails does not stop the schedule.
public struct Scheduler: Sendable {
    /// The longest wait before the wall clock, which may be changed, is read again.
    private static let longestWait = Duration.seconds(30)

    private let workflow: Workflow
    private let schedule: Schedule
    private let timeZone: SystemTimeZone
    private let clock: any PromiseClock
    private let now: @Sendable () -> Date
    private let runner: Runner
    /// When the schedule was last followed; nil for never.
    private let last: Date?
    private let catchUp: CatchUp
    private let start: Start
    private let runs = Locked((next: 0, active: [Int: Promise<Void>]()))

    /// Starts a run for a time of a cron expression, with an input; the promise is settled at the run's end.
    package typealias Start = @Sendable (_ time: Date?, _ input: Value) -> Promise<Void>

    /// Creates the scheduler of a workflow; nil if the workflow has no schedule.
    /// - Parameters:
    ///   - workflow: The workflow.
    ///   - runner: Runs it; its clock and its `now` are those of the schedule, and its events can start runs.
    ///   - timeZone: The time zone of cron expressions.
    ///   - onEnd: Called with the result of each run.
    public init?(
        _ workflow: Workflow, by runner: Runner, in timeZone: SystemTimeZone,
        onEnd: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        self.init(workflow, by: runner, in: timeZone, since: nil) { _, input in
            let run = runner.run(workflow, input: input)
            return run.get { onEnd(.success($0)) }.asVoid().recover(policy: .allErrors) { error -> Promise<Void> in
                onEnd(.failure(error))
                return .value(())
            }
        }
    }

    /// Creates the scheduler of a workflow with its own way to start runs; nil if the workflow has no schedule.
    ///
    /// `last` is when the schedule was last followed; nil for never.
    package init?(
        _ workflow: Workflow, by runner: Runner, in timeZone: SystemTimeZone, since last: Date?,
        catchUp: CatchUp = .one, start: @escaping Start
    ) {
        guard let schedule = workflow.schedule else { return nil }
        self.workflow = workflow
        self.runner = runner
        self.schedule = schedule
        self.timeZone = timeZone
        self.last = last
        self.catchUp = catchUp
        self.start = start
        clock = runner.clock
        now = runner.now
    }

    /// The number of active runs.
    public var activeRuns: Int { runs.withLock { $0.active.count } }

    /// Is fulfilled when every run that is active now has ended and `onEnd` was called for it.
    public var noneLeft: Guarantee<Void> { when(resolved: runs.withLock { Array($0.active.values) }).asVoid() }

    /// Starts runs until the promise is cancelled, which also cancels the active runs.
    /// - Returns: A promise that is fulfilled only if the schedule has no more times.
    public func run() -> Promise<Void> {
        let waits: Promise<Void> =
            switch schedule {
            case .every(let interval): every(interval)
            case .cron(let expression): cron(expression)
            case .after(let delay): after(delay)
            case .on(let events, let reading): on(events, reading)
            }
        return waits.onCancel {
            for run in self.runs.withLock({ $0.active.values }) { run.cancel() }
        }
    }

    /// Starts a run at once and after each interval, even if the previous run has not ended.
    private func every(_ interval: Duration) -> Promise<Void> {
        let beginning = clock.now
        return repeating(0) { count -> Promise<Step<Int, Void>> in
            begin()
            let elapsed = clock.now - beginning
            // Times that were missed while the machine slept are skipped.
            let next = max(count + 1, Int((elapsed.seconds / interval.seconds).rounded(.down)) + 1)
            return clock.pause(for: interval * next - elapsed).map { .again(next) }
        }
    }

    private func cron(_ expression: CronExpression) -> Promise<Void> {
        let beginning = now()
        if let last {
            for time in catchUp.times(of: expression, after: last, until: beginning, in: timeZone) { begin(for: time) }
        }
        return repeating(expression.next(after: beginning, in: timeZone)) { time -> Promise<Step<Date?, Void>> in
            guard let time else { return .value(.done(())) }
            let rest = Duration.seconds(time.timeIntervalSince(now()))
            guard rest <= .zero else {
                return clock.pause(for: min(rest, Self.longestWait)).map {
                    // If the wall clock was set back far, the next time changes.
                    let isFar = time.timeIntervalSince(now()) > rest.seconds + 60
                    return .again(isFar ? expression.next(after: now(), in: timeZone) : time)
                }
            }
            begin(for: time)
            return .value(.again(expression.next(after: max(time, now()), in: timeZone)))
        }
    }

    /// Starts a run at once, and again with a delay after each run's end.
    private func after(_ delay: Duration) -> Promise<Void> {
        repeating(()) { _ -> Promise<Step<Void, Void>> in
            begin().then { clock.pause(for: delay) }.map { .again(()) }
        }
    }

    /// Starts a run with the events whenever all have arrived (specification: dsl.md, "Event-driven scheduling").
    private func on(_ events: EventConsumption, _ reading: Workflow.Listen.Reading) -> Promise<Void> {
        guard let bus = runner.events else { return .value(()) }
        let trigger = EventTrigger(events, reading, of: workflow, by: runner)
        return repeating((trigger, bus.end)) { progress -> Promise<Step<(EventTrigger, Int), Void>> in
            var (trigger, position) = progress
            guard let next = bus.event(from: position) else {
                return bus.arrival(at: position).map { .again(progress) }
            }
            position = next.position + 1
            if trigger.offer(next.event) {
                begin(with: .array(trigger.taken))
                trigger.reset()
            }
            return .value(.again((trigger, position)))
        }
    }

    @discardableResult private func begin(for time: Date? = nil, with input: Value = [:]) -> Promise<Void> {
        // Counted before its promise exists.
        let number = runs.withLock { runs in
            runs.next += 1
            runs.active[runs.next] = .value(())
            return runs.next
        }
        let run = start(time, input)
        runs.withLock { $0.active[number] = run }
        let end = run.ensure { self.runs.withLock { $0.active[number] = nil } }
        // How a run ended is reported elsewhere.
        end.catch(policy: .allErrors) { _ in }
        return end
    }
}
