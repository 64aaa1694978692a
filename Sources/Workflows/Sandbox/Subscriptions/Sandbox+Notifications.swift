extension Sandbox {
    private static let validationLimit = Duration.seconds(10)
    /// How long a notification is sent again.
    private static let patience = Duration.seconds(4 * 3600)
    private static let longestPause = Duration.seconds(600)

    /// Asks a new subscription's addresses whether they want notifications, and keeps the subscription if they do.
    func validate(_ subscription: SandboxSubscription, _ answer: SandboxAnswer) -> Promise<SandboxAnswer> {
        let addresses = Set([subscription.notificationURL] + [subscription.lifecycleURL].compactMap(\.self)).sorted()
        let (notifier, clock) = (notifier, clock)
        let checks = addresses.map { address in
            let token = "Validation: Testing client application reachability % \(withState { $0.guid() })"
            let mark = address.contains("?") ? "&" : "?"
            guard let url = URL(string: "\(address)\(mark)validationToken=\(token.percentEncoded())"), let notifier
            else { return Promise<Void>(error: LoopbackTransport.refusal) }
            let request = HTTPRequest("POST", url, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Data())
            return notifier.send(request, for: Self.operation).timeout(Self.validationLimit, clock: clock).map(on: nil)
            {
                response in
                guard response.status == 200, String(decoding: response.body, as: UTF8.self) == token,
                    ContentType.essence(of: response.headers["Content-Type"] ?? "") == "text/plain"
                else { throw SandboxError.unreachableSubscriber(nil) }
            }
        }
        return when(fulfilled: checks).map(on: nil) { _ -> SandboxError? in nil }
            .recover(on: nil) { error -> SandboxError? in .unreachableSubscriber((error as? HTTPFailure)?.detail) }
            .map(on: nil) { [self] error -> SandboxAnswer in
                withState { state in
                    var failure = error
                    if failure == nil {
                        do throws(SandboxError) { try state.checkUnique(subscription) } catch { failure = error }
                    }
                    guard let failure else {
                        state.subscriptions.append(subscription)
                        return answer
                    }
                    var refused = answer
                    refused.response = failure.response(
                        requestID: answer.response.headers["request-id"] ?? "", clientRequestID: nil, date: now())
                    return refused
                }
            }
    }

    /// Sends the queued notifications.
    func deliverNotices() {
        let (batches, delayed) = withState { state in
            let delayed = state.notices.filter { $0.delay > .zero }
            state.notices.removeAll { $0.delay > .zero }
            return (state.takeBatches(), delayed)
        }
        for batch in batches { deliver(batch, pause: .seconds(1), waited: .zero) }
        for notice in delayed {
            var due = notice
            due.delay = .zero
            _ = clock.schedule(after: notice.delay) { [weak self, due] in
                self?.withState { $0.notices.append(due) }
                self?.deliverNotices()
            }
        }
    }

    /// Posts a batch, again after pauses that double until its address answers 2xx.
    private func deliver(_ batch: SandboxNotice.Batch, pause: Duration, waited: Duration) {
        guard let url = URL(string: batch.url), let notifier else { return }
        let body: Value = ["value": .array(batch.notices.map(\.value))]
        let request = HTTPRequest(
            "POST", url, headers: ["Content-Type": "application/json; charset=utf-8"], body: body.jsonData())
        notifier.send(request, for: Self.operation).map(on: nil) { (200..<300).contains($0.status) }
            .recover(on: nil) { _ in .value(false) }
            .done(on: nil) { [weak self] isDelivered in
                guard let self else { return }
                guard isDelivered || waited >= Self.patience else {
                    _ = clock.schedule(after: pause) { [weak self] in
                        self?.deliver(batch, pause: min(pause * 2, Self.longestPause), waited: waited + pause)
                    }
                    return
                }
                withState { $0.end(batch, isDelivered: isDelivered) }
                deliverNotices()
            }
    }

    private static let operation = HTTPOperation(
        name: "notification", effect: .once, timeout: .seconds(30), example: HTTPResponse(status: 202))
}

extension SandboxError {
    fileprivate static func unreachableSubscriber(_ detail: String?) -> SandboxError {
        badRequest(
            "Subscription validation request failed. Notification endpoint must respond with 200 OK to validation "
                + "request." + (detail.map { " (\($0))" } ?? ""),
            code: "ValidationError")
    }
}
