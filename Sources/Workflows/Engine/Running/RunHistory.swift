/// The state of one run.
final class RunHistory: Sendable {
    private let state: Locked<RunState>
    let notifications: Notifications

    init(_ state: RunState, _ notifications: Notifications) {
        self.state = Locked(state)
        self.notifications = notifications
    }

    /// Reads the state of the run; the body must not call out.
    func read<Result: Sendable>(_ body: (RunState) -> Result) -> Result { state.withLock { body($0) } }

    /// The number of the next event; nil after the end of the run.
    var nextNumber: Int? { state.withLock { $0.hasEnded ? nil : $0.number + 1 } }

    /// Applies an event to the state, and keeps it until recorders are notified of it.
    ///
    /// `json` is the record of the event, if it is already written and has no secrets.
    /// - Returns: Whether the caller must notify the recorders.
    func append(_ event: Event, concealing secrets: KnownSecrets, json: [UInt8]?) -> Bool {
        state.withLock { $0.apply(event) }
        return notifications.add(event, concealing: secrets, json: json)
    }
}

/// The events of a run and its inner runs that recorders are not notified of yet, in the order of the journal.
final class Notifications: Sendable {
    private struct Contents {
        var events: [(event: SearchedEvent, json: [UInt8]?)] = []
        var isNotifying = false
    }

    private let contents = Locked(Contents())
    private let recorders: [Recorder]
    private let needsJSON: Bool
    /// Whether a recorder is notified when a task is created and when a round begins.
    let needBeginnings: Bool

    init(to recorders: [Recorder]) {
        self.recorders = recorders
        needsJSON = recorders.contains(where: \.needsJSON)
        needBeginnings = recorders.contains(where: \.needsBeginnings)
    }

    /// - Returns: Whether the caller must notify the recorders; false without any, or if another thread is notifying
    ///   them.
    fileprivate func add(_ event: Event, concealing secrets: KnownSecrets, json: [UInt8]?) -> Bool {
        guard !recorders.isEmpty, let shown = secrets.conceal(event) else { return false }
        return contents.withLock { contents in
            contents.events.append((shown, needsJSON ? json : nil))
            defer { contents.isNotifying = true }
            return !contents.isNotifying
        }
    }

    /// Notifies recorders of new events, one at a time and in order.
    func send() {
        while true {
            let events = takeAll()
            guard !events.isEmpty else { return }
            for (event, json) in events {
                for recorder in recorders { recorder.record(event, json: json) }
            }
        }
    }

    /// Takes all events at once, because other threads may add them faster than recorders take them.
    private func takeAll() -> [(event: SearchedEvent, json: [UInt8]?)] {
        contents.withLock { contents in
            contents.isNotifying = !contents.events.isEmpty
            defer { contents.events = [] }
            return contents.events
        }
    }
}
