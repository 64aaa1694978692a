/// The outside view of a service: its metrics, whether it is ready, and what its supervisor is notified of.
package final class ServiceMonitor: Sendable {
    /// How often the supervisor's status line is renewed without a watchdog.
    private static let usualInterval = Duration.seconds(30)

    private enum State {
        case starting, ready, stopping, ended
    }

    package let metrics = Metrics()
    private let state = Locked(State.starting)
    private let inbox = Locked<Inbox?>(nil)
    private let supervisor: Supervisor?
    private let clock: any PromiseClock

    /// - Parameters:
    ///   - supervisor: The supervisor to notify; nil for none.
    ///   - clock: Measures when the supervisor must be notified again.
    package init(_ supervisor: Supervisor?, clock: any PromiseClock) {
        self.supervisor = supervisor
        self.clock = clock
    }

    package func watch(_ inbox: Inbox) { self.inbox.withLock { $0 = inbox } }

    private func countEvents() {
        if let inbox = inbox.withLock({ $0 }) { metrics.report(eventsWaiting: inbox.count) }
    }

    /// Marks the service as ready: it takes events and follows schedules.
    package func start() {
        state.withLock { $0 = .ready }
        supervisor?.notify(.ready, status: status)
        if supervisor != nil { renew() }
    }

    /// Marks the service as stopping: nothing more is started.
    package func stop() {
        let isFirst = state.withLock { state in
            defer { state = .stopping }
            return state != .stopping
        }
        if isFirst { supervisor?.notify(.stopping, status: "stopping; \(status)") }
    }

    package func end() { state.withLock { $0 = .ended } }

    /// Answers `/healthz`, `/readyz` and `/metrics`; nil for any other path.
    package func page(_ request: HTTPRequest) -> HTTPResponse? {
        guard ["/healthz", "/readyz", "/metrics"].contains(request.url.path) else { return nil }
        guard ["GET", "HEAD"].contains(request.method) else {
            return HTTPResponse(status: 405, headers: ["Allow": "GET, HEAD"], body: Data())
        }
        switch request.url.path {
        case "/metrics":
            countEvents()
            return Self.text(200, metrics.text, type: "text/plain; version=0.0.4; charset=utf-8")
        case "/readyz" where state.withLock({ $0 }) != .ready: return Self.text(503, "not ready\n")
        default: return Self.text(200, "ok\n")
        }
    }

    private static func text(_ status: Int, _ text: String, type: String = "text/plain; charset=utf-8") -> HTTPResponse
    {
        HTTPResponse(
            status: status, headers: ["Content-Type": type, "Cache-Control": "no-store"], body: Data(text.utf8))
    }

    private var status: String {
        countEvents()
        let counted = metrics.counted
        return "\(counted.active.count) runs in progress, \(counted.eventsWaiting) events waiting"
    }

    /// Notifies the supervisor repeatedly that the service is alive.
    ///
    /// Runs in turn with the runs' promises, so that the supervisor notices when those stand still.
    private func renew() {
        let interval = supervisor?.watchdog.map { $0 / 3 } ?? Self.usualInterval
        after(interval, clock: clock).done { [weak self] in
            guard let self, state.withLock({ $0 }) != .ended else { return }
            supervisor?.notify(.alive, status: status)
            renew()
        }
    }
}
