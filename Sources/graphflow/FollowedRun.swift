import Promises
import Workflows

/// What a command knows of the run that it waits for, from the run's events.
final class FollowedRun: Sendable {
    private struct State {
        /// Where the run and those inside it stand, by their ids.
        var states: [String: RunState] = [:]
        var id: String?
        /// The effects that were at work when the run was cancelled, and that must happen once.
        var unsettled: [JSONPointer] = []
    }

    private let state = Locked(State())
    private let (stopped, resolver) = Promise<Void>.pending()

    /// The run's id; nil as long as it has not begun.
    var id: String? { state.withLock { $0.id } }

    /// The effects that were at work when the run was cancelled, as soon as its tasks have recorded how they ended.
    var unsettled: Promise<[JSONPointer]> { stopped.map(on: nil) { self.state.withLock { $0.unsettled } } }

    /// Follows the run; comes after other recorders that are to be notified before ``unsettled`` is fulfilled.
    var recorder: Recorder {
        Recorder { event in
            self.state.withLock { state in
                state.states[event.run, default: RunState()].apply(event)
                if event.parent == nil { state.id = event.run }
            }
            switch event.kind {
            case .workflowCancelled where event.parent == nil, .workflowSuspended where event.parent == nil:
                self.stop()
            default: break
            }
        }
    }

    /// Cancels the run.
    func cancel(_ run: Promise<Value>) {
        let hasBegun = state.withLock { state in
            state.unsettled = state.states.values.flatMap(\.unsettled)
            return !state.states.isEmpty
        }
        run.cancel()
        // Of a run that had not begun no event records the end.
        if !hasBegun { stop() }
    }

    /// Waits for no more events.
    func stop() { resolver.fulfill(()) }
}
