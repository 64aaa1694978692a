extension GraphEvent {
    /// Whether the call must happen once from here on, while everything before could be repeated.
    package var isCommitted: Bool {
        switch kind {
        case .drafted, .committing: true
        case .retrying, .held, .uploaded, .effect: false
        }
    }
}

extension Event.Kind {
    /// Whether only recorders and journals need this event.
    package var isForOthersOnly: Bool {
        switch self {
        case .taskCreated, .iterationStarted, .taskSuspended, .taskResumed: true
        default: false
        }
    }

    /// Whether nothing outside the run is involved: a resumed run can do it again.
    package var canBeRepeated: Bool {
        switch self {
        case .taskCreated, .taskStarted, .taskSkipped, .taskCompleted, .decided, .iterationStarted, .jumped: true
        default: false
        }
    }

    /// Whether the inner tasks so far no longer count.
    var endsRound: Bool {
        switch self {
        case .iterationStarted, .iterationCompleted, .taskRetried: true
        // From here on, the tasks of `catch` count.
        case .decided(_, "catch", _): true
        default: false
        }
    }
}
