/// The state of one run, and the events that its recorders are not notified of yet.
final class RunHistory: Sendable {
    private struct Contents {
        var state: RunState
        var unnotified: [(event: Event, json: [UInt8]?)] = []
        var isNotifying = false
    }

    private let contents: Locked<Contents>
    private let recorders: [Recorder]
    private let needsJSON: Bool
    /// Whether a recorder is notified when a task is created and when a round begins.
    let recordsBeginnings: Bool

    init(_ state: RunState, notifying recorders: [Recorder]) {
        contents = Locked(Contents(state: state))
        self.recorders = recorders
        needsJSON = recorders.contains(where: \.needsJSON)
        recordsBeginnings = recorders.contains(where: \.needsBeginnings)
    }

    /// Reads the state of the run; the body must not call out.
    func read<Result: Sendable>(_ body: (RunState) -> Result) -> Result { contents.withLock { body($0.state) } }

    /// The number of the next event; nil after the end of the run.
    var nextNumber: Int? { contents.withLock { $0.state.hasEnded ? nil : $0.state.number + 1 } }

    /// Applies an event to the state, and keeps it until recorders are notified of it.
    ///
    /// `json` is the record of the event, if it is already written and has no secrets.
    /// - Returns: Whether the caller must notify the recorders; false without any, or if another thread is notifying
    ///   them.
    func append(_ event: Event, concealing secrets: KnownSecrets?, json: [UInt8]?) -> Bool {
        let shown = recorders.isEmpty ? event : secrets?.conceal(event) ?? event
        return contents.withLock { contents in
            contents.state.apply(event)
            guard !recorders.isEmpty else { return false }
            contents.unnotified.append((shown, needsJSON ? json : nil))
            defer { contents.isNotifying = true }
            return !contents.isNotifying
        }
    }

    /// Notifies recorders of new events, one at a time and in order.
    func notifyRecorders() {
        while true {
            let events = takeUnnotified()
            guard !events.isEmpty else { return }
            for (event, json) in events {
                for recorder in recorders { recorder.record(event, json: json) }
            }
        }
    }

    /// Takes all events at once, because other threads may add them faster than recorders take them.
    private func takeUnnotified() -> [(event: Event, json: [UInt8]?)] {
        contents.withLock { contents in
            contents.isNotifying = !contents.unnotified.isEmpty
            defer { contents.unnotified = [] }
            return contents.unnotified
        }
    }
}
