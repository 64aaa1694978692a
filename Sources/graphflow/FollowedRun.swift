import Promises
import Workflows

/// What a command knows about its run from the run's events.
final class FollowedRun: Sendable {
    private struct State {
        /// The states of the run and of the runs inside it, by id.
        var states: [String: RunState] = [:]
        var id: String?
        /// The effects that must happen once and were in progress when the run was cancelled.
        var unsettled: [JSONPointer] = []
    }

    private let state = Locked(State())
    private let (stopped, resolver) = Promise<Void>.pending()

    /// The run's id; nil until it begins.
    var id: String? { state.withLock { $0.id } }

    /// The effects that cancelling the run interrupted, once its tasks have recorded how they ended.
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
        // No event records the end of a run that had not begun.
        if !hasBegun { stop() }
    }

    /// Stops waiting for events.
    func stop() { resolver.fulfill(()) }
}
