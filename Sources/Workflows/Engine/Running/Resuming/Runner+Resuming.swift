extension Runner {
    /// The user's answer about an effect that must happen once and whose outcome is unknown.
    public enum Assumption: String, Sendable, Hashable, CaseIterable {
        /// It happened: the task returns what is known of it.
        case sent
        /// It did not happen: the task is performed again.
        case notSent = "not-sent"
    }

    func perform(_ run: Run, _ input: Value) -> Promise<Value> {
        guard run.journal.isKept else { return run.performAlongside(input) }
        return Promise { resolver in
            let started = Locked<Promise<Value>?>(nil)
            let ticket = Locked<Int?>(nil)
            let suspension = suspension
            // From here on, the journal can end the run.
            run.journal.attach(
                stop: { error in
                    // A computation may be occupying the thread of the run's promises.
                    run.interrupt.request()
                    // First, because a waiter may resume the run at once.
                    run.journal.closeLog()
                    resolver.reject(error)
                    started.withLock { $0 }?.cancel()
                }, suspend: { run.finishSuspension() })
            let added = suspension?.add(
                { run.whereItRuns { run.suspend() } }, giveUp: { run.whereItRuns { run.giveUp() } })
            ticket.withLock { $0 = added }
            let work = run.performAlongside(input)
            started.withLock { $0 = work }
            resolver.onCancel { work.cancel() }
            if run.journal.isClosed { work.cancel() }
            work.then { output in
                run.journal.finish(output).mapAtOnce { output }
            }.recover(policy: .allErrors) { error -> Promise<Value> in
                run.journal.finish().mapAtOnce { throw error }
            }.finally { outcome in
                // A run that was ended from outside has that error, whatever its interrupted work results in.
                if run.journal.detach() { resolver.resolve(outcome) }
                if let ticket = ticket.withLock({ $0 }) { suspension?.remove(ticket) }
            }
        }
    }

    func resume(
        _ workflow: Workflow, as identity: RunIdentity, input: Value, from events: [Event], log: RunLog?,
        _ resumption: Event.Resumption = Event.Resumption(), assuming assumption: Assumption? = nil,
        library: WorkflowLibrary? = nil
    ) -> Promise<Value> {
        let known = KnownSecrets(secrets, sealedBy: identity.sealing, opensSeals: world.opensSeals)
        let replay: JournalReplay
        do {
            let events = try known.open(events)
            var past = JournalReplay(events, of: identity.id, as: resumption, at: now())
            if assumption != nil { past.settle() }
            replay = past
            try world.recall(events, replay, resumption, assuming: assumption)
        } catch {
            return Promise(error: error)
        }
        let library = library ?? WorkflowLibrary(of: workflow)
        let findings = obstacles(to: workflow, library)
        guard findings.isEmpty else { return Promise(error: InvalidWorkflow(diagnostics: findings)) }
        let resume = { @Sendable () throws -> Promise<Value> in
            let questions = replay.unsettled.filter { $0.2.draft == nil }
            guard assumption != nil || questions.isEmpty else {
                throw UnsettledEffects(run: identity.id, tasks: questions.map(\.call.task))
            }
            let run = Run(
                workflow, by: self, library: library, as: identity, log: log, resuming: replay, knowing: known,
                assuming: assumption)
            if !events.isEmpty || resumption.plan != nil {
                run.record(.workflowResumed(resumption))
                let last = events.last { $0.run == identity.id }?.kind
                guard case .workflowSuspended? = last else { return perform(run, input) }
                for task in run.state.active(inside: .run) where task != .run {
                    run.record(.taskResumed(task.task), task.occurrence)
                }
            }
            return perform(run, input)
        }
        guard world.startsPrograms, !workflow.containers(library).isEmpty else { return firstly(execute: resume) }
        return removeLeftContainers(resuming: Set(replay.states.keys)).then(on: nil) { try resume() }
    }
}

/// The error of a run that cannot be resumed until the user states what happened.
public struct UnsettledEffects: Error, Sendable, Hashable {
    /// The run's id.
    public let run: String
    /// The unfinished tasks whose effects must happen once.
    public let tasks: [JSONPointer]
}
