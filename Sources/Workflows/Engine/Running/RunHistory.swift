import Promises

/// The state of one run, and the events that its recorders are not notified of yet.
final class RunHistory: Sendable {
    private struct Contents {
        var state: RunState
        var unnotified: [Event] = []
        var isNotifying = false
    }

    private let contents: Locked<Contents>
    private let recorders: [Recorder]

    init(_ state: RunState, notifying recorders: [Recorder]) {
        contents = Locked(Contents(state: state))
        self.recorders = recorders
    }

    /// Reads the state of the run; the body must not call out.
    func read<Result: Sendable>(_ body: (RunState) -> Result) -> Result { contents.withLock { body($0.state) } }

    func setContext(_ context: Value) { contents.withLock { $0.state.context = context } }

    /// The number of the next event; nil after the end of the run.
    var nextNumber: Int? { contents.withLock { $0.state.hasEnded ? nil : $0.state.number + 1 } }

    /// Applies an event to the state, and keeps it until recorders are notified of it.
    /// - Parameter secrets: The secrets that recorders must not see; nil if there are none.
    /// - Returns: Whether the caller must notify the recorders; false if there are none, or if another thread is
    ///   notifying them already, which then includes this event.
    func append(_ event: Event, concealing secrets: KnownSecrets?) -> Bool {
        let shown = recorders.isEmpty ? event : secrets?.conceal(event) ?? event
        return contents.withLock { contents in
            contents.state.apply(event)
            guard !recorders.isEmpty else { return false }
            contents.unnotified.append(shown)
            defer { contents.isNotifying = true }
            return !contents.isNotifying
        }
    }

    /// Notifies recorders of new events, one at a time and in order.
    func notifyRecorders() {
        while let event = nextUnnotified() {
            for recorder in recorders { recorder.record(event) }
        }
    }

    private func nextUnnotified() -> Event? {
        contents.withLock { contents in
            contents.isNotifying = !contents.unnotified.isEmpty
            return contents.isNotifying ? contents.unnotified.removeFirst() : nil
        }
    }
}
