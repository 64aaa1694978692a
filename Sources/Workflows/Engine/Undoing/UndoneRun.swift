/// A run or batch whose effects another run takes back, and its journal, which records that.
package struct UndoneRun: Sendable {
    /// What is needed of a journal's events.
    private struct Past {
        var account = EffectAccount()
        /// The last event of each run.
        var last: [String: Event] = [:]

        mutating func take(_ event: Event) {
            account.take(event)
            last[event.run] = event
        }
    }

    private let name: String
    private let folder: RunsFolder
    private let text: JournalText
    private let past: Past

    /// Reads the journal of a run or batch.
    /// - Throws: ``JournalError`` if it cannot be read.
    package init(reading name: String, in folder: RunsFolder) throws(JournalError) {
        var past = Past()
        text = try Journal.text(of: name, in: folder) { past.take($1) }
        (self.name, self.folder, self.past) = (name, folder, past)
    }

    /// Reads the run that an undo with this input takes back; nil for another input.
    package init?(of input: Value, in kept: KeptRuns) throws(JournalError) {
        guard let target = input["of"]?.string else { return nil }
        try self.init(reading: target, in: try kept.folder(of: target))
    }

    package var header: Journal.Header { text.header }

    /// Its effects, the first one first.
    package var effects: [AccountedEffect] { past.account.effects(of: header) }

    /// Records which of its effects another run has taken back.
    /// - Parameters:
    ///   - undone: The effects, with the versions that this left of their objects.
    ///   - time: The current date.
    /// - Throws: ``JournalError`` if the journal cannot be read or written.
    package func record(_ undone: [String: String?], at time: Date) throws {
        guard !undone.isEmpty else { return }
        var past = Past()
        let (journal, isAsKnown) = try Journal.open(name, in: folder, asIn: text) { past.take($0) }
        defer { journal.close() }
        if isAsKnown { past = self.past }
        let open = past.account.effects(of: journal.header).filter { $0.state != .undone }
        // The last effect first, as they were taken back: if the process is killed here, the rest is found as it was
        // before the effects that are not recorded yet.
        for accounted in open.reversed() {
            guard let version = accounted.effect.identity.flatMap({ undone[$0] }), var event = past.last[accounted.run]
            else { continue }
            var effect = accounted.effect
            if let version { effect.object?.etag = version }
            event = Event(
                number: event.number + 1, run: accounted.run, workflow: event.workflow, time: time,
                kind: .request(
                    nil,
                    GraphEvent(
                        operation: Function.takeBackName, task: effect.task, kind: .effect(effect, .undone))))
            past.last[accounted.run] = event
            // Its secrets are drawings already.
            try journal.append(unsearched: event)
        }
        try journal.flush()
    }
}
