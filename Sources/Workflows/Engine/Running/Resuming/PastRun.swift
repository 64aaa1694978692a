/// A run in a journal, and whether it can be resumed.
public struct PastRun: Sendable {
    private let journal: Journal
    private let events: [Event]
    private let state: RunState

    /// Creates a past run from its journal's events.
    public init(_ journal: Journal, _ events: [Event]) {
        self.journal = journal
        self.events = events
        var state = RunState(rememberingEnds: true)
        // Its end is for people; the run itself gets its events with their secrets.
        for event in events.shown where event.parent == nil { state.apply(event) }
        self.state = state
    }

    /// The output of a completed run; nil for any other.
    public var output: Value? {
        guard case .completed(let output, _) = state.end else { return nil }
        return output
    }

    /// Why the run cannot be resumed; nil if it can.
    ///
    /// A run that failed has ended, unless it failed because it was unknown whether an effect happened.
    public var problem: RunIsOver? {
        switch (state.phase, state.end) {
        case (.cancelled, _): RunIsOver(run: journal.header.run, error: nil)
        case (.faulted, .failed(let error)) where !error.is(.unknownOutcome):
            RunIsOver(run: journal.header.run, error: error)
        default: nil
        }
    }

    /// How the workflow has changed since the run was last at work; nil if it has not.
    /// - Throws: ``JournalError`` if the run's copy of the file cannot be read, or ``InvalidWorkflow``.
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

/// The error of a run that cannot be resumed because it has ended.
public struct RunIsOver: Error, Sendable {
    /// The run's id.
    public let run: String
    /// The error it ended with; nil if it was cancelled.
    public let error: WorkflowError?
}
