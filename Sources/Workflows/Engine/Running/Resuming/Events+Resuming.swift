extension [Event] {
    /// The events that still count after the run is resumed.
    ///
    /// Events of tasks that are performed again do not count, nor does the end of a run that ended because the outcome
    /// of an effect was unknown.
    func asResumed(of run: String, _ resumption: Event.Resumption) -> [Event] {
        var events: [Event] = []
        events.reserveCapacity(count)
        for event in self {
            if case .workflowResumed(let resumption) = event.kind {
                events.reopen()
                events.forget(resumption.anew, of: run)
            }
            events.append(event)
        }
        events.reopen()
        events.forget(resumption.anew, of: run)
        return events
    }

    /// Removes the ends that an effect with an unknown outcome caused.
    private mutating func reopen() {
        guard case .workflowFaulted(let error)? = last?.kind, error.is(.unknownOutcome) else { return }
        while let event = last, event.kind.isEnd(by: error) { removeLast() }
    }

    /// Removes the events of tasks that are performed again, of their inner tasks and of all tasks after them in their
    /// lists, and the ends of the tasks around them.
    private mutating func forget(_ anew: [JSONPointer], of run: String) {
        guard !anew.isEmpty else { return }
        var gone: Set<String> = []
        removeAll { event in
            guard event.run == run else {
                // An inner run of a removed task is removed as well.
                if let parent = event.parent, gone.contains(parent.run) || parent.run == run && parent.isGone(anew) {
                    gone.insert(event.run)
                }
                return gone.contains(event.run)
            }
            guard let task = event.task else { return false }
            let isAround = event.kind.isTaskEnd && anew.contains { $0.tokens.starts(with: task.tokens) }
            return isAround || TaskExecution(task, event.occurrence).isGone(anew)
        }
    }
}

extension Event.Parent {
    fileprivate func isGone(_ anew: [JSONPointer]) -> Bool { TaskExecution(task, occurrence).isGone(anew) }
}

extension TaskExecution {
    /// Whether this belongs to a task that is performed again.
    fileprivate func isGone(_ anew: [JSONPointer]) -> Bool {
        let callers = occurrence.split(separator: "/").compactMap(JSONPointer.init(caller:))
        return ([task] + callers).contains { task in anew.contains { task.isReached(behind: $0) } }
    }
}

extension JSONPointer {
    /// Whether a task is the first one, inside it, or after it in its list.
    fileprivate func isReached(behind first: JSONPointer) -> Bool {
        let list = first.list.tokens
        guard tokens.count >= first.tokens.count, tokens.starts(with: list), let own = Int(tokens[list.count]),
            let position = Int(first.tokens[list.count])
        else { return false }
        return own >= position
    }
}

extension Event.Kind {
    fileprivate var isTaskEnd: Bool {
        switch self {
        case .taskCompleted, .taskFaulted, .taskCancelled: true
        default: false
        }
    }

    /// Whether this is an end that an error of the run caused.
    fileprivate func isEnd(by error: WorkflowError) -> Bool {
        switch self {
        case .workflowFaulted(let other), .taskFaulted(_, let other), .callEnded(_, .failed(let other)):
            other.type == error.type
        case .taskCancelled, .workflowCancelled, .callEnded(_, nil): true
        default: false
        }
    }
}
