/// Posts a CloudEvent to an address when a run faults, has an unknown outcome or, on request, completes.
///
/// A run never waits for delivery. The program does before it ends, because otherwise the notification would be lost.
final class Notifier: Sendable {
    /// The event type for a run that needs an answer from a person.
    static let unknownOutcome = "io.graphflow.run.unknown.v1"
    /// The prefix of the standard's lifecycle event types.
    private static let lifecycle = "io.serverlessworkflow.workflow"
    /// The most notifications in progress; an unreachable service must not fill the memory.
    static let limit = 100

    private let address: URL
    private let includesCompleted: Bool
    private let console: Console
    private let transport: any HTTPTransport
    private let clock: any PromiseClock
    private let deliveries = Locked((next: 0, active: [Int: Promise<Void>]()))

    /// - Parameters:
    ///   - address: Where events are posted: an https address, or an http address of this machine.
    ///   - includesCompleted: Whether completed runs are reported as well.
    ///   - console: Where failed deliveries are reported.
    ///   - transport: Sends the requests.
    ///   - clock: Measures the waits before retries.
    init(
        _ address: URL, includingCompleted includesCompleted: Bool, _ console: Console,
        transport: any HTTPTransport = NetworkTransport(), clock: any PromiseClock = .continuous
    ) {
        self.address = address
        self.includesCompleted = includesCompleted
        self.console = console
        self.transport = transport
        self.clock = clock
    }

    /// Posts the ends of runs; an inner run is part of its outer run.
    var recorder: Recorder {
        .ofProgress { event in
            guard event.parent == nil, let message = self.message(of: event) else { return }
            self.deliver(message)
        }
    }

    var effects: [Effect] {
        // The path may be the secret that allows posting.
        let host = address.host() ?? ""
        let types = [
            ("\(Self.lifecycle).faulted.v1", "if the run faults"),
            (Self.unknownOutcome, "if the outcome of an effect is unknown"),
        ]
        let all = includesCompleted ? types + [("\(Self.lifecycle).completed.v1", "if the run completes")] : types
        return all.map { .notification($0, to: host, $1) }
    }

    /// Fulfilled when every notification so far was delivered or given up.
    var noneLeft: Guarantee<Void> { when(resolved: deliveries.withLock { Array($0.active.values) }).asVoid() }

    /// Gives up all notifications that are not delivered yet.
    func stop() {
        for delivery in deliveries.withLock({ $0.active.values }) { delivery.cancel() }
    }

    /// The CloudEvent about an event of a run; nil for events that are not reported.
    private func message(of event: Event) -> Object? {
        switch event.kind {
        case .workflowFaulted(let error) where error.is(.unknownOutcome):
            var members = event.record.object
            members?["type"] = .string(Self.unknownOutcome)
            return members
        case .workflowFaulted: return event.record.object
        case .workflowCompleted: return includesCompleted ? event.record.object : nil
        default: return nil
        }
    }

    private func deliver(_ message: Object) {
        let number: Int? = deliveries.withLock { deliveries in
            guard deliveries.active.count < Self.limit else { return nil }
            deliveries.next += 1
            deliveries.active[deliveries.next] = .value(())
            return deliveries.next
        }
        guard let number else {
            return report("\(Self.limit) notifications are already on their way")
        }
        let request = HTTPRequest(
            "POST", address,
            headers: ["Content-Type": "application/cloudevents+json", "User-Agent": Graphflow.userAgent],
            body: Value.object(message).jsonData())
        // The warning is part of the delivery: the process ends once `noneLeft` is fulfilled.
        let delivery = post(request, attempt: 1)
            .recover(policy: .allErrorsExceptCancellation) { self.report(Self.reason($0)) }
        deliveries.withLock { $0.active[number] = delivery }
        delivery.ensure { self.deliveries.withLock { $0.active[number] = nil } }
            .catch(policy: .allErrorsExceptCancellation) { _ in }
    }

    /// A receiver recognises a repeated event by its id, so a post can be repeated.
    private func post(_ request: HTTPRequest, attempt: Int) -> Promise<Void> {
        let operation = HTTPOperation(
            name: "notify", effect: .idempotent, timeout: .seconds(10), maximumResponseSize: 1_000_000,
            example: HTTPResponse(status: 204))
        return transport.send(request, for: operation).map { .answered($0) }
            .recover { error -> Promise<Answer> in
                guard let failure = error as? HTTPFailure else { throw error }
                return .value(.failed(failure))
            }
            .then { answer -> Promise<Void> in
                let decision = RetryDecision(
                    after: answer.outcome, effect: .idempotent, attempt: attempt, jitter: .random(in: 0...1),
                    now: Date())
                switch decision {
                case .settled: return .value(())
                case .retry(let delay, _):
                    return after(delay, clock: self.clock).then { self.post(request, attempt: attempt + 1) }
                case .giveUp, .unknownOutcome: throw answer
                }
            }
    }

    /// The result of one attempt; thrown for the last one.
    private enum Answer: Error {
        case answered(HTTPResponse)
        case failed(HTTPFailure)

        var outcome: RetryDecision.Outcome {
            switch self {
            case .answered(let response): .answered(response.status, retryAfter: response.headers["Retry-After"])
            case .failed(let failure): .failed(failure)
            }
        }
    }

    private static func reason(_ error: any Error) -> String {
        switch error as? Answer {
        case .answered(let response)?: "it answered \(HTTPStatus.words(response.status))"
        case .failed(let failure)?: failure.detail
        case nil: "\(error)"
        }
    }

    /// Reports a failed delivery, with the host only: the path may be the secret that allows posting.
    private func report(_ reason: String) {
        let host = address.host() ?? ""
        console.complain("warning: \(host) was not notified: \(PlainText.line(reason, limit: 200))")
    }
}
