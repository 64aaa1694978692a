final class FollowedRun: Sendable {
    private struct State {
        /// The states of the run and of its inner runs, by id.
        var states: [String: RunState] = [:]
        var id: String?
        /// The effects that must happen once and were in progress when the run was cancelled.
        var unsettled: [JSONPointer] = []
    }

    private let state = Locked(State())
    private let (stopped, resolver) = Promise<Void>.pending()

    var id: String? { state.withLock { $0.id } }

    /// The effects that cancelling the run interrupted, once its tasks have recorded their ends.
    var unsettled: Promise<[JSONPointer]> { stopped.map(on: nil) { self.state.withLock { $0.unsettled } } }

    /// Follows the run; must come after the recorders to notify before ``unsettled`` is fulfilled.
    var recorder: Recorder {
        .ofProgress { event in
            self.state.withLock { state in
                if event.parent == nil { state.id = event.run }
                // Only calls can be unsettled.
                switch event.kind {
                case .callStarted, .callEnded, .request:
                    state.states[event.run, default: RunState()].apply(event)
                default: break
                }
            }
            switch event.kind {
            case .workflowCancelled where event.parent == nil, .workflowSuspended where event.parent == nil:
                self.stop()
            default: break
            }
        }
    }

    func cancel(_ run: Promise<Value>) {
        let hasBegun = state.withLock { state in
            state.unsettled = state.states.values.flatMap(\.unsettled)
            return state.id != nil
        }
        run.cancel()
        // A run that never began records no end.
        if !hasBegun { stop() }
    }

    func stop() { resolver.fulfill(()) }
}
