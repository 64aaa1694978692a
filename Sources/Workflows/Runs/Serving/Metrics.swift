/// The counters of a service, which `GET /metrics` shows.
package final class Metrics: Sendable {
    /// The upper bounds of the histogram of durations, in seconds.
    static let bounds = [0.01, 0.1, 1, 10, 60, 600, 3_600, 86_400]

    /// How many runs took at most each bound.
    struct Histogram: Sendable {
        var counts = [Int](repeating: 0, count: bounds.count)
        var (count, sum) = (0, 0.0)

        mutating func add(_ seconds: Double) {
            for (index, bound) in bounds.enumerated() where seconds <= bound { counts[index] += 1 }
            count += 1
            sum += seconds
        }
    }

    struct State: Sendable {
        var runs: [String: [String: Int]] = [:]
        var durations: [String: Histogram] = [:]
        /// The runs in progress: their workflows, and when they began.
        var active: [String: (workflow: String, since: Date)] = [:]
        var eventsWaiting = 0
        var requests = 0
        var retries = 0
        var throttledSeconds = 0.0
    }

    private let state = Locked(State())

    var counted: State { state.withLock { $0 } }

    func report(eventsWaiting count: Int) { state.withLock { $0.eventsWaiting = count } }

    /// Counts runs, and the events of their requests.
    package var recorder: Recorder {
        .ofProgress { [state] event in
            let seconds: (Duration) -> Double = {
                Double($0.components.seconds) + Double($0.components.attoseconds) / 1e18
            }
            state.withLock { state in
                switch event.kind {
                case .workflowStarted where event.parent == nil, .workflowResumed where event.parent == nil:
                    state.active[event.run] = (event.workflow.name, event.time)
                case .workflowCompleted where event.parent == nil: state.end(event, as: "completed")
                case .workflowFaulted(let error) where event.parent == nil:
                    state.end(event, as: error.is(.unknownOutcome) ? "unknown" : "faulted")
                case .workflowCancelled where event.parent == nil: state.end(event, as: "cancelled")
                case .workflowSuspended where event.parent == nil: state.end(event, as: "suspended")
                case .taskRetried: state.retries += 1
                case .request(_, let request):
                    switch request.kind {
                    case .retrying: state.retries += 1
                    case .held(let delay, _): state.throttledSeconds += seconds(delay)
                    case .uploaded, .drafted, .committing, .effect: break
                    }
                default: break
                }
            }
        }
    }

    /// A transport that counts the requests that pass through it.
    package func counting(_ transport: any HTTPTransport) -> any HTTPTransport {
        ObservedTransport(transport) { [state] _ in
            state.withLock { $0.requests += 1 }
            return nil
        }
    }
}

extension Metrics.State {
    fileprivate mutating func end(_ event: Event, as name: String) {
        let workflow = event.workflow.name
        runs[workflow, default: [:]][name, default: 0] += 1
        guard let begun = active.removeValue(forKey: event.run) else { return }
        durations[workflow, default: Metrics.Histogram()].add(max(0, event.time.timeIntervalSince(begun.since)))
    }
}
