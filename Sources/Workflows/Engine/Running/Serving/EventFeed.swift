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
        /// The item in Microsoft 365 that has changed; nil for other events.
        var item: String?
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
        /// The items whose runs are in progress, each with the jobs that wait for their ends.
        var items: [String: [Job]] = [:]
        var parkedCount = 0
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
    /// How many jobs may wait for other runs of their items.
    private static let mostParked = 1_000
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
            guard !state.isStopped, !state.isAhead, state.parkedCount < Self.mostParked else { return false }
            defer { (state.isDue, state.isReading) = (state.isReading, true) }
            return !state.isReading
        }
        if isFree { DispatchQueue.global().async { self.read() } }
    }

    private func read() {
        do throws(JournalError) {
            while let job = try progress.withLock({ progress throws(JournalError) in try nextJob(&progress) }) {
                guard !inbox.cursor(of: name).isSettled(job.first), !park(job) else { continue }
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

    /// Lets a job wait if a run of its item is in progress, else takes the item for it.
    private func park(_ job: Job) -> Bool {
        guard let item = job.item else { return false }
        return state.withLock { state in
            guard state.items[item] != nil else {
                state.items[item] = []
                return false
            }
            state.items[item]?.append(job)
            state.parkedCount += 1
            return true
        }
    }

    /// Takes an item for a run that an earlier service began.
    package func occupy(_ item: String) { state.withLock { $0.items[item] = $0.items[item] ?? [] } }

    /// Ends the turn of an item's run: the next job of the item begins.
    package func release(_ item: String) {
        let next = state.withLock { state -> Job? in
            guard let waiting = state.items[item], let next = waiting.first else {
                state.items[item] = nil
                return nil
            }
            state.items[item]?.removeFirst()
            state.parkedCount -= 1
            return next
        }
        if let next { queue.add(name) { [self] in begin(next) } }
        look()
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
                input: .array(progress.trigger.taken), workflow: progress.workflow, item: event.changedItem)
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
            let end = run?.get { [onEnd] in onEnd(.success($0)) }.asVoid()
                .recover(policy: .allErrors) { [onEnd] error -> Promise<Void> in
                    onEnd(.failure(error))
                    return .value(())
                }
            return (end ?? .value(())).ensure { [self] in job.item.map { release($0) } }
        } catch {
            onTrouble(error)
            after(Self.pause, clock: runs.runner.clock).done { [self] _ in queue.add(name) { [self] in begin(job) } }
            return .value(())
        }
    }
}
