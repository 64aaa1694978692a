/// A run that a journal records, and whether it can be gone on with.
public struct PastRun: Sendable {
    private let journal: Journal
    private let events: [Event]
    private let state: RunState

    /// Looks at a run.
    public init(_ journal: Journal, _ events: [Event]) {
        self.journal = journal
        self.events = events
        var state = RunState(rememberingEnds: true)
        for event in events where event.parent == nil { state.apply(event) }
        self.state = state
    }

    /// The output of a run that is complete; nil for any other.
    public var output: Value? {
        guard case .completed(let output, _) = state.end else { return nil }
        return output
    }

    /// Why there is nothing to go on with; nil where there is.
    ///
    /// A run that failed is over, but for one that failed because nobody knew whether an effect happened.
    public var problem: RunIsOver? {
        switch (state.phase, state.end) {
        case (.cancelled, _): RunIsOver(run: journal.header.run, error: nil)
        case (.faulted, .failed(let error)) where !error.is(.unknownOutcome):
            RunIsOver(run: journal.header.run, error: error)
        default: nil
        }
    }

    /// What is different in a workflow since the run was last at work on it; nil for nothing.
    /// - Throws: ``JournalError`` where the file as it was run cannot be read, and ``InvalidWorkflow``.
    public func changes(to workflow: Workflow) throws -> WorkflowChanges? {
        let digest = Journal.Header.digest(of: workflow.document.text)
        var last = journal.header.digest
        for event in events {
            if case .workflowResumed(let resumption) = event.kind, let accepted = resumption.digest { last = accepted }
        }
        guard digest != last else { return nil }
        let before = try Workflow(text: String(decoding: try journal.workflowText, as: UTF8.self))
        return WorkflowChanges(from: before, to: workflow, digest: digest)
    }
}

/// That a run cannot be resumed, because it has ended.
public struct RunIsOver: Error, Sendable {
    /// The run's id.
    public let run: String
    /// What it ended with; nil where it was cancelled.
    public let error: WorkflowError?
}
