/// Continues the runs that a service began and could not end.
struct InterruptedRuns: Sendable {
    let service: Service
    let runs: ServedRuns
    let queue: RunQueue
    let inbox: Inbox?
    /// Holds the runs that wait for approval; nil if this service needs none.
    let gate: ApprovalGate?
    let secrets: SecretStore
    let console: Console
    let onEnd: @Sendable (Result<Value, any Error>, Workflow) -> Void
    private let progress = Locked(Progress())

    private struct Progress {
        /// The runs that wait for their turn or continue, and those that a person must continue.
        var known: Set<String> = []
        var isLater = false
    }

    /// The time until a run whose journal could not be written is tried again.
    private static let pause = Duration.seconds(15)

    /// Continues runs whose journals could not be written, when the disk may have room again.
    func resumeLater() {
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
    func resume(isAgain: Bool = false) throws -> Guarantee<Void> {
        guard let folder = runs.runner.journals else { return .value(()) }
        let known = progress.withLock(\.known)
        let interrupted = try folder.summaries { run in
            run.isServed && !known.contains(run.run)
                && (run.state == .interrupted || run.needsAnswer != nil
                    || !isAgain && [.suspended, .waiting].contains(run.state))
        }
        progress.withLock { $0.known.formUnion(interrupted.map(\.run)) }
        let lost = interrupted.filter { $0.isSandboxed && service.workflow(ofFile: $0.file) != nil }
        if !lost.isEmpty {
            console.complain("warning: \(lost.count) interrupted runs do not continue, because their sandbox has ended")
        }
        hold(interrupted.reversed().filter { $0.state == .waiting && !$0.isSandboxed }, in: folder)
        for run in interrupted where run.needsAnswer == true && !run.isSandboxed { tellUnknown(run.run) }
        let person: Promise<String?> = gate?.person() ?? .value(nil)
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
                defer { resolver(()) }
                return person.then { resume(run.run, file: run.file, in: folder, by: $0) }
                    .ensure { item.map { feed?.release($0) } }
            }
            return begun
        }
        if !begun.isEmpty { console.complain("interrupted runs that continue: \(begun.count)") }
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
            guard let gate else {
                left += 1
                continue
            }
            gate.hold(run.run, of: workflow, in: folder)
        }
        if left > 0 {
            console.complain("warning: \(left) runs wait for an approval: '--require-approval' looks for it")
        }
    }

    private func resume(
        _ name: String, file: String?, in folder: RunsFolder, by person: String?
    ) -> Promise<Void> {
        do {
            guard let (workflow, _) = service.workflow(ofFile: file) else { return .value(()) }
            let (journal, events) = try Journal.open(name, in: folder)
            if let reason = try obstacle(to: journal, events, workflow, by: person) {
                console.complain("warning: the run \(name) does not continue by itself: \(reason)")
                return .value(())
            }
            offerEmitted(events)
            return runs.runner.resume(workflow, journal, from: events).reporting { result in
                if case .failure(let error) = result, error.isOfDisk {
                    progress.withLock { _ = $0.known.remove(name) }
                }
                if case .failure(is UnsettledEffects) = result {
                    tellUnknown(name)
                } else {
                    onEnd(result, workflow)
                }
            }
        } catch {
            if error.isOfDisk {
                progress.withLock { _ = $0.known.remove(name) }
                resumeLater()
            }
            console.complain(
                "warning: the run \(name) does not continue \(error.isOfDisk ? "yet" : "by itself"): "
                    + PlainText.line("\(error)", limit: 500))
            return .value(())
        }
    }

    private func tellUnknown(_ name: String) {
        console.complain(
            "warning: the run \(name) does not continue by itself: it is unknown whether an effect happened that must "
                + "happen once; find out, then: graphflow resume \(name) --assume sent|not-sent")
    }

    /// Why a person must decide; nil if the run can continue.
    private func obstacle(
        to journal: Journal, _ events: [Event], _ workflow: Workflow, by person: String?
    ) throws -> String? {
        let name = journal.header.run
        let past = PastRun(journal, events)
        switch past.obstacle(under: gate?.policy, runBy: person) {
        case nil: break
        case .undone: return "it was undone, and what its next tasks need may be gone"
        case .unapproved(let refusal):
            return "\(refusal.reason); with a new plan that was approved: graphflow resume \(name) --plan FILE …"
        }
        if try past.changes(to: workflow) != nil {
            return "its file has changed; to accept that: graphflow resume \(name) --accept-changes"
        }
        let sealed = ((journal.header.seals ?? []) + events.flatMap { $0.seals ?? [] }).secretNames
        if let missing = sealed.first(where: { secrets[$0] == nil }) { return "the secret '\(missing)' is missing" }
        let address = try runs.runner.graph.baseURL.absoluteString
        guard journal.header.graphURL ?? address == address else {
            return "it called another Microsoft Graph than that of GRAPHFLOW_GRAPH_URL"
        }
        return nil
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

extension Error {
    /// Whether a file of a run could not be written, which may become possible.
    var isOfDisk: Bool { (self as? JournalError)?.code == .failed }
}

extension Promise<Value> {
    /// Calls the body with the result, and is fulfilled afterwards.
    func reporting(to body: @escaping @Sendable (Result<Value, any Error>) -> Void) -> Promise<Void> {
        get { body(.success($0)) }.asVoid().recover(policy: .allErrors) { error -> Promise<Void> in
            body(.failure(error))
            return .value(())
        }
    }
}
