/// Continues the runs that a service began and could not end.
package struct InterruptedRuns: Sendable {
    private let service: Service
    private let runs: ServedRuns
    private let queue: RunQueue
    private let inbox: Inbox?
    /// The runs that wait for approval; nil if this service needs none.
    private let held: HeldRuns?
    private let desk: RunDesk
    /// How each of them is asked for.
    private let order: RunOrder
    private let secrets: SecretStore
    private let notify: @Sendable (RunNotice) -> Void
    private let onEnd: @Sendable (Result<Value, any Error>, Workflow) -> Void
    private let progress = Locked(Progress())

    private struct Progress {
        /// The runs that wait for their turn or continue, and those that a person must continue.
        var known: Set<String> = []
        var isLater = false
    }

    /// - Parameters:
    ///   - order: How each run is asked for: with this service's demand for approvals.
    ///   - held: The runs that wait for approval; nil if this service needs none.
    package init(
        of service: Service, _ runs: ServedRuns, in queue: RunQueue, with inbox: Inbox?, held: HeldRuns?,
        at desk: RunDesk, as order: RunOrder, with secrets: SecretStore,
        notify: @escaping @Sendable (RunNotice) -> Void,
        onEnd: @escaping @Sendable (Result<Value, any Error>, Workflow) -> Void
    ) {
        (self.service, self.runs, self.queue, self.inbox) = (service, runs, queue, inbox)
        (self.held, self.desk, self.order, self.secrets) = (held, desk, order, secrets)
        (self.notify, self.onEnd) = (notify, onEnd)
    }

    /// The time until a run whose journal could not be written is tried again.
    private static let pause = Duration.seconds(15)

    /// Continues runs whose journals could not be written, when the disk may have room again.
    package func resumeLater() {
        let isLater = progress.withLock { progress in
            defer { progress.isLater = true }
            return progress.isLater
        }
        guard !isLater else { return }
        after(Self.pause, clock: runs.runner.clock).done { [self] in
            progress.withLock { $0.isLater = false }
            DispatchQueue.global().async {
                do { _ = try resume(isAgain: true) } catch { resumeLater() }
            }
        }
    }

    /// Queues the runs, the oldest first.
    /// - Returns: A promise that is fulfilled when all of them are in progress again.
    package func resume(isAgain: Bool = false) throws -> Guarantee<Void> {
        guard let folder = runs.runner.journals else { return .value(()) }
        let known = progress.withLock(\.known)
        let interrupted = try folder.summaries { run in
            run.isServed && !known.contains(run.run)
                && (run.state == .interrupted || run.needsAnswer != nil
                    || !isAgain && [.suspended, .waiting].contains(run.state))
        }
        progress.withLock { $0.known.formUnion(interrupted.map(\.run)) }
        let lost = interrupted.filter { $0.isSandboxed && service.workflow(ofFile: $0.file) != nil }
        if !lost.isEmpty { notify(.lost(count: lost.count)) }
        hold(interrupted.reversed().filter { $0.state == .waiting && !$0.isSandboxed }, in: folder)
        for run in interrupted where run.needsAnswer == true && !run.isSandboxed {
            notify(.stays(run: run.run, why: .unknownEffect))
        }
        let begun = interrupted.reversed().filter {
            !$0.isSandboxed && $0.state != .waiting && $0.needsAnswer != true
        }.compactMap {
            run -> Guarantee<Void>? in
            guard let (_, name) = service.workflow(ofFile: run.file) else { return nil }
            let (begun, resolver) = Guarantee<Void>.pending()
            let item = changedItem(of: run.run, in: folder)
            let feed = service.feed(named: name)
            item.map { feed?.occupy($0) }
            queue.add(name) {
                resume(run, in: folder) { resolver(()) }.ensure { item.map { feed?.release($0) } }
            }
            return begun
        }
        if !begun.isEmpty { notify(.continuing(count: begun.count)) }
        return when(guarantees: begun)
    }

    /// The item in Microsoft 365 whose change began a run; nil if something else did.
    private func changedItem(of run: String, in folder: RunsFolder) -> String? {
        guard let (_, events) = try? Journal.read(run, in: folder),
            case .workflowStarted(let input, _)? = events.first?.kind, let envelope = input[0]
        else { return nil }
        return (try? CloudEvent(envelope))?.changedItem
    }

    private func hold(_ waiting: [RunSummary], in folder: RunsFolder) {
        var left = 0
        for run in waiting {
            guard let (workflow, _) = service.workflow(ofFile: run.file) else { continue }
            guard let held else {
                left += 1
                continue
            }
            held.hold(run.run, of: workflow)
        }
        if left > 0 { notify(.unheld(count: left)) }
    }

    /// - Parameter onBegun: Called when the run is in progress again, or is not going to be.
    private func resume(
        _ run: RunSummary, in folder: RunsFolder, onBegun: @escaping @Sendable () -> Void
    ) -> Promise<Void> {
        let name = run.run
        return Promise { () async throws -> Promise<Void> in
            defer { onBegun() }
            guard let (workflow, _) = service.workflow(ofFile: run.file) else { return .value(()) }
            let (journal, events) = try Journal.open(name, in: folder)
            let step = try await desk.next(
                order, run, PastRun(journal, events), performing: workflow, with: secrets,
                at: try runs.runner.graph.baseURL)
            guard case .resume = step else {
                if case .refuse(let obstacle) = step { notify(.stays(run: name, why: obstacle)) }
                return .value(())
            }
            offerEmitted(events)
            return runs.runner.resume(workflow, journal, from: events).reporting { result in
                if case .failure(let error) = result, error.isOfDisk {
                    progress.withLock { _ = $0.known.remove(name) }
                }
                if case .failure(is UnsettledEffects) = result {
                    notify(.stays(run: name, why: .unknownEffect))
                } else {
                    onEnd(result, workflow)
                }
            }
        }.then { $0 }.recover(policy: .allErrors) { error -> Promise<Void> in
            if error.isOfDisk {
                progress.withLock { _ = $0.known.remove(name) }
                resumeLater()
            }
            notify(.notContinued(run: name, why: error))
            return .value(())
        }
    }

    /// Offers the events that the run emitted to the other workflows, in case the service ended before it could.
    private func offerEmitted(_ events: [Event]) {
        guard let inbox else { return }
        // Older events may no longer be recognised as known.
        let since = runs.now().addingTimeInterval(-80_000)
        let emitted = events.shown.compactMap { event -> CloudEvent? in
            guard case .eventEmitted(_, let emitted) = event.kind, event.time > since else { return nil }
            return emitted
        }
        if !emitted.isEmpty { _ = try? inbox.accept(emitted, isInner: true) }
    }
}
