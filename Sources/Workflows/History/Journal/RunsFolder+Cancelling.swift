extension RunsFolder {
    /// The process that performs a run, and its command line; nil if there is none.
    package func holder(of run: String) -> (process: pid_t, words: [String])? {
        (try? folder(of: run)).flatMap { FileLock.holder(of: $0.lock) }
    }

    /// The size of a run's journal in bytes, which grows with each event.
    package func journalSize(of run: String) throws -> Int {
        try OpenFile(try folder(of: run).journal, for: .reading).size
    }

    /// Records that a run without a process is cancelled: it then counts as ended.
    ///
    /// It can be resumed like one that was cancelled while active.
    /// - Throws: ``JournalError`` if there is no such run, it has ended, or a process is performing it.
    ///
    /// `reason` is who decided it and why; nil for none.
    package func cancel(_ run: String, at time: Date, because reason: Value? = nil) throws(JournalError) {
        let (journal, events) = try Journal.open(run, in: self)
        switch events.last(where: { $0.parent == nil })?.kind {
        case .workflowCompleted, .workflowFaulted, .workflowCancelled:
            throw JournalError(.refused, "the run \(run) has ended")
        default: break
        }
        var number = events.last { $0.run == run }?.number ?? 0
        let decision = reason.map { Event.Kind.decided(.root, what: Event.approval, value: $0) }
        for kind in [decision, .workflowCancelled].compactMap(\.self) {
            number += 1
            let event = Event(number: number, run: run, workflow: journal.header.workflow, time: time, kind: kind)
            try journal.append(unsearched: event)
        }
        try journal.flush()
    }
}
