public import Foundation

/// What a run's journal says at its beginning and at its end.
public struct RunSummary: Sendable, Hashable {
    /// Where a run stands.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// A process is at work on it.
        case running
        /// All tasks are done.
        case completed
        /// Ended by an error that nothing caught.
        case faulted
        /// Ended by a person or a program before it was complete.
        case cancelled
        /// Put aside in order, to be resumed.
        case suspended
        /// Begun and not ended, and no process is at work on it: it can be resumed.
        case interrupted
        /// Ended without knowing whether an effect happened that must happen once: a person can say it, and resume.
        case unknown
        /// The journal cannot be read.
        case damaged

    }

    /// The run's name.
    public var run: String
    /// The workflow; nil where the journal does not say it.
    public var workflow: Workflow.Metadata?
    /// The absolute path of the workflow's file; nil where it is not from a file.
    public var file: String?
    /// Where the run stands.
    public var state: State
    /// When it began.
    public var startedAt: Date
    /// When the last of what happened did; nil for a run that goes on.
    public var endedAt: Date?
    /// Whether the run called a sandbox inside its process, which has ended with it.
    public var isSandboxed = false
    /// What is wrong with the journal; nil where nothing is.
    public var problem: String?

    /// Whether the run can be gone on with.
    public var isResumable: Bool {
        switch state {
        case .suspended, .interrupted, .unknown: !isSandboxed
        case .running, .completed, .faulted, .cancelled, .damaged: false
        }
    }

    /// Whether nothing comes any more.
    public var isOver: Bool { state != .running && state != .damaged && !isResumable }

    /// For how long the run was at work, waits and pauses between resumed parts among it, in seconds.
    public func duration(now: Date) -> Double { max(0, (endedAt ?? now).timeIntervalSince(startedAt)) }
}
