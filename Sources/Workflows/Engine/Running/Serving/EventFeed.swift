import Dispatch
import Essentials
import Promises

/// Starts the runs of a workflow with the events of an inbox; reads only up to the next run, the rest stays on disk.
package final class EventFeed: Sendable {
    private struct Job: Sendable {
        /// The events that are settled when it has begun.
        var range: Range<Int>
        /// The position of its first event.
        var first: Int
        var input: Value
        /// The version of the workflow when its events arrived.
        var workflow: Workflow
    }

    private struct Progress: Sendable {
        var workflow: Workflow
        var reader: InboxReader
        var trigger: EventTrigger
        /// Every event before this position is settled, or will be when the jobs have begun.
        var start: Int
        /// The position of the first event that was taken.
        var first: Int?
    }

    private struct State {
        var isReading = false
        /// Whether events have arrived while it was reading.
        var isDue = false
        /// Whether a run waits for its turn.
        var isAhead = false
        var isStopped = false
    }

    private let name: String
    private let inbox: Inbox
    private let queue: RunQueue
    private let runs: ServedRuns
    private let onEnd: @Sendable (Result<Value, any Error>) -> Void
    private let onTrouble: @Sendable (any Error) -> Void
    private let state = Locked(State())
    /// Held while it reads and evaluates filters; callers of ``look()`` do not wait for it.
    private let progress: Locked<Progress>
    /// The wait after a failure of the disk.
    private static let pause = Duration.seconds(5)

    /// Creates the feed of a workflow; nil if events do not start its runs.
    ///
    /// `onTrouble` is called when events cannot be read or a run cannot begin; both are tried again.
    package init?(
        _ workflow: Workflow, named name: String, from inbox: Inbox, by runs: ServedRuns, in queue: RunQueue,
        onTrouble: @escaping @Sendable (any Error) -> Void,
        onEnd: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        guard case .on(let events, let reading)? = workflow.schedule else { return nil }
        let position = inbox.cursor(of: name).settled
        (self.name, self.inbox, self.queue, self.runs) = (name, inbox, queue, runs)
        (self.onEnd, self.onTrouble) = (onEnd, onTrouble)
        progress = Locked(
            Progress(
                workflow: workflow, reader: InboxReader(inbox, from: position),
                trigger: EventTrigger(events, reading, of: workflow, by: runs.runner), start: position))
    }

    /// Continues with a new version of the workflow, from the first event that has not been passed on.
    package func replace(with workflow: Workflow) {
        guard case .on(let events, let reading)? = workflow.schedule else { return }
        let trigger = EventTrigger(events, reading, of: workflow, by: runs.runner)
        progress.withLock { progress in
            progress.workflow = workflow
            progress.trigger = trigger
            progress.reader = InboxReader(inbox, from: progress.start)
            progress.first = nil
        }
        look()
    }

    package func stop() { state.withLock { $0.isStopped = true } }

    /// Looks for the events of the next run, unless one waits for its turn.
    package func look() {
        let isFree = state.withLock { state in
            guard !state.isStopped, !state.isAhead else { return false }
            defer { (state.isDue, state.isReading) = (state.isReading, true) }
            return !state.isReading
        }
        if isFree { DispatchQueue.global().async { self.read() } }
    }

    private func read() {
        do throws(JournalError) {
            while let job = try progress.withLock({ progress throws(JournalError) in try nextJob(&progress) }) {
                guard !inbox.cursor(of: name).isSettled(job.first) else { continue }
                state.withLock { ($0.isReading, $0.isDue, $0.isAhead) = (false, false, true) }
                return queue.add(name) { [self] in
                    state.withLock { $0.isAhead = false }
                    look()
                    return begin(job)
                }
            }
            let isDue = state.withLock { state in
                defer { state.isDue = false }
                state.isReading = state.isDue
                return state.isDue
            }
            if isDue { read() }
        } catch {
            state.withLock { $0.isReading = false }
            onTrouble(error)
            after(Self.pause, clock: runs.runner.clock).done { [weak self] _ in self?.look() }
        }
    }

    /// Reads up to the events of the next run; nil if they have not all arrived.
    private func nextJob(_ progress: inout Progress) throws(JournalError) -> Job? {
        while true {
            let position = progress.reader.position
            guard let event = try progress.reader.next() else {
                // Events that no run takes are settled at once.
                if progress.trigger.isUntouched, position > progress.start {
                    inbox.settle(progress.start..<position, by: name)
                    progress.start = position
                }
                return nil
            }
            let isComplete = progress.trigger.offer(event)
            if !progress.trigger.isUntouched { progress.first = progress.first ?? position }
            guard isComplete else { continue }
            let job = Job(
                range: progress.start..<position + 1, first: progress.first ?? position,
                input: .array(progress.trigger.taken), workflow: progress.workflow)
            progress.trigger.reset()
            (progress.start, progress.first) = (position + 1, nil)
            return job
        }
    }

    private func begin(_ job: Job) -> Promise<Void> {
        do {
            let run = try runs.begin(
                job.workflow, input: job.input, suffix: inbox.runSuffix(name, at: job.first)
            ) { isDurable in
                if isDurable { try inbox.settleDurably(job.range, by: name) } else { inbox.settle(job.range, by: name) }
            }
            guard let run else { return .value(()) }
            return run.get { [onEnd] in onEnd(.success($0)) }.asVoid()
                .recover(policy: .allErrors) { [onEnd] error -> Promise<Void> in
                    onEnd(.failure(error))
                    return .value(())
                }
        } catch {
            onTrouble(error)
            after(Self.pause, clock: runs.runner.clock).done { [self] _ in queue.add(name) { [self] in begin(job) } }
            return .value(())
        }
    }
}
