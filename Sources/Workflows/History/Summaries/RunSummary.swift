/// The start and the end of a run's journal, or of a batch's ledger, as a summary.
public struct RunSummary: Sendable, Hashable {
    /// The state of a run.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// A process is performing it.
        case running
        /// Waits for a person's approval.
        case waiting
        /// All tasks are done.
        case completed
        /// Ended by an uncaught error; it can be resumed.
        case faulted
        /// Cancelled before it was complete; it can be resumed.
        case cancelled
        /// Suspended, to be resumed.
        case suspended
        /// Not ended, and without a process; it can be resumed unless its sandbox ended with it.
        case interrupted
        /// Ended while it is unknown whether an effect that must happen once did; it can be resumed with the answer.
        case unknown
        /// The journal cannot be read.
        case damaged

    }

    /// The run's name.
    public var run: String
    /// The workflow; nil if the journal cannot be read.
    public var workflow: Workflow.Metadata?
    /// The absolute path of the workflow's file; nil if it is not from a file.
    public var file: String?
    /// The state of the run.
    public var state: State
    /// When it began.
    public var startedAt: Date
    /// The time of the last event; nil while the run is active.
    public var endedAt: Date?
    /// Whether nothing but a person can tell the outcome of an effect during which the process ended; nil if there is none.
    package var needsAnswer: Bool?
    /// Whether the run called a sandbox inside its process, which ended with it.
    public var isSandboxed = false
    package var isServed = false
    package var isOfAgent = false
    /// Whether it was never approved, and so can never begin.
    package var isRefused = false
    /// The error's `type`, `status` and `title`, as far as it has them; nil unless the run ended by one.
    package var error: Object?
    /// What is wrong with the journal; nil if it can be read.
    public var problem: String?
    package var isBatch = false
    /// How the items of a batch ended; nil for a run, and for a batch whose ledger cannot be read.
    package var counts: BatchCounts?
    /// Whether it is a named batch, whose ledger keeps a later start of the batch from sending mails again.
    package var isNamed = false

    /// Whether the run can be resumed.
    public var isResumable: Bool {
        switch state {
        case .suspended, .interrupted, .unknown, .faulted, .cancelled: !isSandboxed && !isRefused
        case .running, .waiting, .completed, .damaged: false
        }
    }

    /// Whether the run has ended and need not be kept; one that failed can still be resumed.
    ///
    /// A named batch is always kept.
    public var isOver: Bool {
        guard !isNamed else { return false }
        return switch state {
        case .completed, .faulted, .cancelled: true
        case .suspended, .interrupted, .unknown: isSandboxed
        case .running, .waiting, .damaged: false
        }
    }

    /// The time from the run's start to its end in seconds, including waits and pauses before it was resumed.
    public func duration(now: Date) -> Double { max(0, (endedAt ?? now).timeIntervalSince(startedAt)) }
}
