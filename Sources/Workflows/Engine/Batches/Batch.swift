/// Performs a workflow for many items, each as its own run with its events in one journal.
///
/// Items are taken one by one from their source: memory does not grow with their number. When an item is finished, its
/// last event is flushed, its result delivered, and its line written to the ledger, in this order.
package final class Batch: Sendable {
    struct State {
        /// The number of items in progress.
        var atWork = 0
        var counts: BatchCounts
        /// The number of items that ended in this process.
        var ended = 0
        /// The number of those that faulted or are unknown.
        var failures = 0
        var stop: BatchEvent.Stop?
        /// Why the batch cannot continue.
        var failure: (any Error)?
        /// The next item, if the rate delays it.
        var upcoming: BatchItem?
        var isAtEnd = false
        /// When the rate allows the next item to begin.
        var nextStart = Duration.zero
        var isWaiting = false
        var hasEnded = false
        /// The end of the pause that the service has asked for.
        var heldUntil = Date.distantPast
    }

    let workflow: Workflow
    let runner: Runner
    let journal: Journal
    let ledger: BatchLedger
    let past: BatchPast
    let approved: ApprovedBatch?
    let limits: BatchLimits
    /// The secrets of the workflow, which can be in the keys of items.
    let secrets: KnownSecrets
    private let nextItem: @Sendable () throws -> BatchItem?
    let deliver: @Sendable (BatchResult) throws -> Void
    let notify: @Sendable (BatchEvent) -> Void
    let library: WorkflowLibrary
    /// Where items begin, and their ends are recorded; each item runs at its own place.
    private let place = Place()
    private let suspension = Suspension()
    let state: Locked<State>
    /// When this process began; all other processes of the batch had ended by then.
    private let begunAt: Date
    private let end = Promise<BatchCounts>.pending()

    /// Creates a batch.
    /// - Parameters:
    ///   - workflow: The workflow that each item is an input of.
    ///   - runner: Performs the items.
    ///   - journal: The journal that all items share.
    ///   - approved: The plan that items must follow; nil for none.
    ///   - total: The number of items.
    ///   - nextItem: Returns the next item, whose input is valid; nil after the last one.
    ///   - deliver: Writes the result of a finished item; what it throws ends the batch.
    ///   - notify: Called with each event.
    package init(
        _ workflow: Workflow, by runner: Runner, in journal: Journal, _ ledger: BatchLedger,
        after past: BatchPast = .none, as approved: ApprovedBatch? = nil, total: Int,
        limits: BatchLimits = BatchLimits(),
        items nextItem: @escaping @Sendable () throws -> BatchItem?,
        results deliver: @escaping @Sendable (BatchResult) throws -> Void,
        events notify: @escaping @Sendable (BatchEvent) -> Void = { _ in }
    ) {
        (self.workflow, self.journal, self.ledger, self.past) = (workflow, journal, ledger, past)
        (self.limits, self.nextItem, self.deliver, self.notify) = (limits, nextItem, deliver, notify)
        self.approved = approved
        library = WorkflowLibrary(of: workflow)
        secrets = runner.secrets(of: workflow, sealedBy: journal.sealing)
        begunAt = runner.now()
        state = Locked(State(counts: past.counts(total: total)))
        var runner = runner
        runner.suspension = suspension
        let holds = Locked<@Sendable (Duration) -> Void>({ _ in })
        let tell = runner.graph.onEvent
        runner.graph.onEvent = { event in
            tell(event)
            if case .held(let delay, _) = event.kind { holds.withLock { $0 }(delay) }
        }
        self.runner = runner
        holds.withLock { $0 = { [weak self] in self?.hold(for: $0) } }
    }

    /// Performs the items that are not complete.
    /// - Returns: The counts of the whole batch; rejected with ``InvalidWorkflow``, or with the error that ended the
    ///   batch.
    package func run() -> Promise<BatchCounts> {
        let problems =
            workflow.validate(with: runner.catalog, library)
            + runner.obstacles(to: workflow, library)
        guard !problems.contains(where: { $0.severity == .error }) else {
            end.resolver.reject(InvalidWorkflow(diagnostics: problems))
            return end.promise
        }
        notify(.began(state.withLock { $0.counts }))
        takeSoon()
        return end.promise
    }

    /// The runner of an item.
    ///
    /// Mails are looked up even for an item without events here: another machine, whose disk is lost, may have begun
    /// it.
    func runner(of item: BatchItem) -> Runner {
        guard limits.looksUpMails, let name = ledger.header.mailName else { return runner }
        var runner = runner
        var identity = MailIdentity(batch: name, itemKey: item.key, lookup: true, begunAt: begunAt)
        identity.patience = limits.mailPatience
        runner.mailIdentity = identity
        return runner
    }

    /// Takes no more items, and suspends those in progress as soon as no request that must be made once is pending.
    package func suspend() { stop(.suspended) }

    func fail(_ error: any Error) {
        state.withLock { $0.failure = $0.failure ?? error }
        stop(.failed(error as? JournalError ?? JournalError(.failed, "\(error)")))
    }

    func stop(_ reason: BatchEvent.Stop) {
        let isNew = state.withLock { state in
            // After the limit of failures, items in progress still end, unless there is another reason to stop.
            guard state.stop == nil || state.stop == .failures, state.stop != reason else { return false }
            state.stop = reason
            return true
        }
        guard isNew else { return }
        notify(.stopping(reason))
        if reason != .failures { suspension.request() }
        takeSoon()
    }

    /// Takes items at the batch's place, which is one by one.
    func takeSoon() { place.perform { Guarantee.value(self.take()) }.cauterize() }

    private func take() {
        do {
            while let item = try upcomingItem(), mayBegin() {
                state.withLock { $0.upcoming = nil }
                begin(item)
            }
        } catch {
            fail(error)
        }
        endIfDone()
    }

    /// The next item to begin; nil if none may begin now.
    private func upcomingItem() throws -> BatchItem? {
        let (isOpen, known) = state.withLock { state in
            (state.stop == nil && !state.isAtEnd && state.atWork < limits.mostAtWork, state.upcoming)
        }
        guard isOpen, known == nil else { return isOpen ? known : nil }
        while let item = try nextItem() {
            guard past.wants(item.name) else { continue }
            state.withLock { $0.upcoming = item }
            return item
        }
        state.withLock { $0.isAtEnd = true }
        return nil
    }

    /// Whether the rate allows an item to begin; if not, schedules the next attempt.
    private func mayBegin() -> Bool {
        guard let rate = limits.rate else { return true }
        let now = runner.clock.now
        let (mayBegin, wait) = state.withLock { state -> (Bool, Duration?) in
            guard state.nextStart <= now else {
                defer { state.isWaiting = true }
                return (false, state.isWaiting ? nil : state.nextStart - now)
            }
            state.nextStart = now + .seconds(1 / rate)
            return (true, nil)
        }
        if let wait {
            _ = runner.clock.schedule(after: wait) {
                self.state.withLock { $0.isWaiting = false }
                self.takeSoon()
            }
        }
        return mayBegin
    }

    private func endIfDone() {
        let (counts, failure) = state.withLock { state -> (BatchCounts?, (any Error)?) in
            guard state.atWork == 0, state.isAtEnd || state.stop != nil, !state.hasEnded else { return (nil, nil) }
            state.hasEnded = true
            return (state.counts, state.failure)
        }
        guard let counts else { return }
        runner.processes.allEnded.done {
            self.notify(.ended(counts))
            // First, because a waiter may continue the batch at once.
            self.journal.close()
            if let failure { self.end.resolver.reject(failure) } else { self.end.resolver.fulfill(counts) }
        }.cauterize()
    }
}
