extension GraphEvent {
    /// Whether what follows must be done once, while what came before could be done again.
    var isCommitted: Bool {
        switch kind {
        case .drafted, .committing: true
        case .retrying, .held, .uploaded: false
        }
    }
}

extension Event.Kind {
    /// Whether this says nothing that a run needs to know of itself while it goes on.
    var isForOthersOnly: Bool {
        switch self {
        case .taskCreated, .iterationStarted: true
        default: false
        }
    }

    /// Whether what a task did so far in its rounds does not count any more.
    var endsRound: Bool {
        switch self {
        case .iterationStarted, .iterationCompleted, .taskRetried: true
        default: false
        }
    }
}
