/// A run in a journal that can be resumed.
public struct PastRun: Sendable {
    private let journal: Journal
    private let events: [Event]
    private let state: RunState

    /// Creates a past run from its journal's events.
    public init(_ journal: Journal, _ events: [Event]) {
        self.journal = journal
        self.events = events
        var state = RunState(remembering: .ends)
        // The end is for people; the run itself gets its events with their secrets.
        for event in events.shown where event.parent == nil { state.apply(event) }
        self.state = state
    }

    /// The output of a completed run; nil for any other.
    public var output: Value? {
        guard case .completed(let output, _) = state.end else { return nil }
        return output
    }

    /// How the workflow has changed since the run was last active; nil if it has not.
    /// - Throws: ``JournalError`` if the run's copy of the file cannot be read, or ``InvalidWorkflow``.
    public func changes(to workflow: Workflow) throws -> WorkflowChanges? {
        let digest = Journal.Header.digest(of: workflow.document.text)
        var last = journal.header.digest
        for event in events {
            if case .workflowResumed(let resumption) = event.kind, let accepted = resumption.digest { last = accepted }
        }
        guard digest != last else { return nil }
        let text = String(decoding: try journal.workflowText, as: UTF8.self)
        let before = try Workflow(text: text, folder: workflow.folder)
        return WorkflowChanges(from: before, to: workflow, digest: digest)
    }

    /// How it ended, whatever a process does with it at the moment.
    package var condition: RunSummary.State {
        switch state.phase {
        case .completed: .completed
        case .faulted: .faulted
        case .cancelled: .cancelled
        case .suspended: .suspended
        case .running: .interrupted
        case .pending: header.needsApproval ? .waiting : .interrupted
        }
    }

    package var header: Journal.Header { journal.header }

    /// Whether another run took back something that this one did.
    package var isUndone: Bool { events.wereUndone }

    /// The approvals with which it began, or with which a new plan continued it.
    package var approvals: [Value] { journal.approvals(after: events) }

    /// The names of the secrets that its journal has sealed.
    package var secretNames: [String] { ((header.seals ?? []) + events.flatMap { $0.seals ?? [] }).secretNames }

    /// The approved plan of the rest of the run; nil if it has none.
    package func approvedPlan(_ secrets: SecretStore) throws -> ApprovedPlan? {
        try journal.plan(after: events).map { hash in
            let known = KnownSecrets(secrets, sealedBy: journal.sealing)
            return try KeptPlan(hash, of: run, in: journal.blobs, known).approved
        }
    }

    /// An effect that happens again if the run is resumed in some way.
    package struct RepeatedEffect: Sendable {
        /// The call, as errors name it.
        package var place: TaskExecution
        package var effect: Idempotency
    }

    /// Why a text does not name one execution.
    package enum NotOneExecution: Error {
        /// None matches; these are others.
        case none([String])
        case several([String])
    }

    private var run: String { journal.header.run }

    /// The execution of a begun task, by its name, its pointer, or its pointer with rounds.
    package func execution(_ text: String) throws(NotOneExecution) -> (place: Event.Parent, shown: TaskExecution) {
        let counting = events.counting(of: run, resumedAs: Event.Resumption())
        let lineage = ExecutionLineage(events[...], counting, of: run)
        // Of a task's attempts, only the last one counts.
        var last: [TaskExecution: Int] = [:]
        let known = lineage.executions.map { place in (place: place, shown: lineage.shown(place)) }
        for (index, execution) in known.enumerated() { last[execution.shown.withoutAttempts] = index }
        let all = last.values.sorted().map { known[$0] }
        let found = all.filter { execution in
            let task = execution.shown.task
            return [execution.shown.description, task.description, task.tokens.last].contains(text)
        }
        guard let first = found.first else { throw .none(all.map(\.shown.description)) }
        guard found.count == 1 else { throw .several(found.map(\.shown.description)) }
        return first
    }

    /// The effects that have happened, or may have, and happen again if the run is resumed.
    package func repeatedEffects(_ resumption: Event.Resumption) -> [RepeatedEffect] {
        let before = events.counting(of: run, resumedAs: Event.Resumption())
        let after = events.counting(of: run, resumedAs: resumption)
        let lineage = ExecutionLineage(events[...], before, of: run)
        var effects: [Event.Parent: Idempotency] = [:]
        for (index, event) in events.enumerated() where before[index] && !after[index] {
            guard let place = event.executionPlace else { continue }
            switch event.kind {
            case .callStarted(_, .read): break
            case .callStarted(_, let effect): effects[place] = effect
            case .request(_, let request) where request.isCommitted: effects[place] = .once
            // It certainly did not happen.
            case .callEnded(_, .failed(let error)) where !error.is(.unknownOutcome): effects[place] = nil
            default: break
            }
        }
        return lineage.executions.compactMap { place in
            effects[place].map { RepeatedEffect(place: lineage.shown(place), effect: $0) }
        }
    }
}

extension ExecutionLineage {
    /// An execution with the path of all repetitions around it, in the runs around it as well.
    func shown(_ place: Event.Parent) -> TaskExecution {
        var path = place.occurrence.isEmpty ? [] : [place.occurrence]
        var run = place.run
        while let parent = inner[run]?.parent {
            path.insert(Run.relation(to: parent.task), at: 0)
            if !parent.occurrence.isEmpty { path.insert(parent.occurrence, at: 0) }
            run = parent.run
        }
        return TaskExecution(place.task, path.joined(separator: "/"))
    }
}

extension TaskExecution {
    fileprivate var withoutAttempts: TaskExecution {
        let parts = occurrence.split(separator: "/").map { $0.hasPrefix("try:") ? "try" : $0 }
        return TaskExecution(task, parts.joined(separator: "/"))
    }
}
