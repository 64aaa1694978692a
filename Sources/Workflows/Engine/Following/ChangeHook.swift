/// Lets subscriptions of Microsoft Graph ring when something may have changed.
///
/// A notification is only a bell: of its content only the secret of its subscription is used. Whatever happens to a
/// subscription, the source is read at its interval, so that nothing is lost.
package final class ChangeHook: Sendable {
    /// What a person should know.
    package enum Report: Sendable {
        case subscribed(resource: String, until: Date)
        /// There is no subscription now; it is tried again.
        case failed(resource: String, any Error, again: Duration)
    }

    private struct Bell {
        let source: ChangeSource
        /// What only Graph and this process know.
        let secret: String
        /// Nil while there is no subscription.
        var id: String?
        var failures = 0
        /// The next renewal or attempt.
        var next: Promise<Void>?
    }

    private struct State {
        /// By their resources.
        var bells: [String: Bell] = [:]
        var isStopped = false
    }

    private static let (firstPause, longestPause) = (Duration.seconds(60), Duration.seconds(3_600))
    /// Tokens of Graph's handshake are shorter.
    private static let longestToken = 4_096

    private let address: URL
    private let graph: GraphClient
    private let now: @Sendable () -> Date
    private let ring: @Sendable (_ resource: String) -> Void
    private let report: @Sendable (Report) -> Void
    private let state = Locked(State())

    /// - Parameters:
    ///   - address: Where Graph reaches this service.
    ///   - ring: Called when a source should be read.
    package init(
        at address: URL, over graph: GraphClient, now: @escaping @Sendable () -> Date,
        ring: @escaping @Sendable (_ resource: String) -> Void, report: @escaping @Sendable (Report) -> Void
    ) {
        (self.address, self.graph, self.now, self.ring, self.report) = (address, graph, now, ring, report)
    }

    /// Subscribes to the resources of these sources, and to no others.
    package func follow(_ sources: [ChangeSource]) {
        let former = state.withLock { state in
            let gone = state.bells.filter { bell in !sources.contains { $0.resource == bell.key } }
            for resource in gone.keys { state.bells[resource] = nil }
            return Array(gone.values)
        }
        for bell in former { remove(bell) }
        for source in sources {
            let isNew = state.withLock { state in
                guard state.bells[source.resource] == nil, !state.isStopped else { return false }
                state.bells[source.resource] = Bell(source: source, secret: UUID().uuidString + UUID().uuidString)
                return true
            }
            if isNew { subscribe(to: source) }
        }
    }

    /// Removes the subscriptions; those that cannot be removed end by themselves.
    package func stop() -> Promise<Void> {
        let bells = state.withLock { state in
            defer { (state.bells, state.isStopped) = ([:], true) }
            return Array(state.bells.values)
        }
        return when(resolved: bells.map { remove($0) }).asVoid().asPromise()
    }

    @discardableResult private func remove(_ bell: Bell) -> Promise<Void> {
        bell.next?.cancel()
        guard let id = bell.id else { return .value(()) }
        return send("DELETE", "/subscriptions/\(id.percentEncoded())", nil, bell.source).asVoid()
    }

    // MARK: Subscriptions

    private func subscribe(to source: ChangeSource, replacingFormer: Bool = true) {
        guard let bell = state.withLock({ $0.bells[source.resource] }) else { return }
        let body: Value = [
            "changeType": .string(source.subscribedKinds), "notificationUrl": .string(address.absoluteString),
            "lifecycleNotificationUrl": .string(address.absoluteString),
            "resource": .string(source.subscribedResource), "clientState": .string(bell.secret),
            "expirationDateTime": .string(end(of: source).iso8601), "latestSupportedTlsVersion": "v1_2",
        ]
        send("POST", "/subscriptions", body, source).done(on: nil) { [weak self] answer in
            self?.subscribed(source, answer)
        }.catch(on: nil) { [weak self] error in
            guard let self else { return }
            // One of an earlier service is still there.
            if GraphError(error)?.code == .conflict, replacingFormer { return replaceFormer(of: source) }
            retry(source, after: error) { $0.subscribe(to: source) }
        }
    }

    private func replaceFormer(of source: ChangeSource) {
        send("GET", "/subscriptions", nil, source).then(on: nil) { [self] answer in
            let former = (answer["value"]?.array ?? []).filter { subscription in
                subscription["notificationUrl"]?.string == address.absoluteString
                    && subscription["resource"]?.string?.trimmingPrefix("/").lowercased()
                        == source.subscribedResource.lowercased()
            }
            return when(
                resolved: former.compactMap { $0["id"]?.string }.map { id in
                    send("DELETE", "/subscriptions/\(id.percentEncoded())", nil, source)
                }
            ).asPromise()
        }.done(on: nil) { [weak self] _ in
            self?.subscribe(to: source, replacingFormer: false)
        }.catch(on: nil) { [weak self] error in
            self?.retry(source, after: error) { $0.subscribe(to: source) }
        }
    }

    private func subscribed(_ source: ChangeSource, _ answer: Value) {
        guard let id = answer["id"]?.string else {
            let error = GraphError(.badAnswer, message: "The subscription has no 'id'.")
            return retry(source, after: error) { $0.subscribe(to: source) }
        }
        let end = answer["expirationDateTime"]?.string.flatMap { Date(rfc3339: $0) } ?? end(of: source)
        let isWanted = state.withLock { state in
            state.bells[source.resource]?.id = id
            state.bells[source.resource]?.failures = 0
            return state.bells[source.resource] != nil
        }
        guard isWanted else { return }
        report(.subscribed(resource: source.resource, until: end))
        // What changed in between did not ring.
        ring(source.resource)
        renewLater(source, until: end)
    }

    private func renewLater(_ source: ChangeSource, until end: Date) {
        let rest = max(60, end.timeIntervalSince(now()))
        later(source, .seconds(rest * 2 / 3)) { $0.renew(source) }
    }

    private func renew(_ source: ChangeSource) {
        guard let id = state.withLock({ $0.bells[source.resource]?.id }) else { return subscribe(to: source) }
        let body: Value = ["expirationDateTime": .string(end(of: source).iso8601)]
        send("PATCH", "/subscriptions/\(id.percentEncoded())", body, source).done(on: nil) { [weak self] answer in
            guard let self else { return }
            state.withLock { $0.bells[source.resource]?.failures = 0 }
            renewLater(
                source, until: answer["expirationDateTime"]?.string.flatMap { Date(rfc3339: $0) } ?? end(of: source))
        }.catch(on: nil) { [weak self] error in
            guard let self else { return }
            guard GraphError(error)?.code == .notFound else { return retry(source, after: error) { $0.renew(source) } }
            state.withLock { $0.bells[source.resource]?.id = nil }
            subscribe(to: source)
        }
    }

    private func retry(
        _ source: ChangeSource, after error: any Error, _ body: @escaping @Sendable (ChangeHook) -> Void
    ) {
        guard !error.isCancelled else { return }
        let failures = state.withLock { state in
            state.bells[source.resource]?.failures += 1
            return state.bells[source.resource]?.failures
        }
        guard let failures else { return }
        let pause = min(Self.firstPause * (1 << min(failures - 1, 6)), Self.longestPause)
        report(.failed(resource: source.resource, error, again: pause))
        later(source, pause, body)
    }

    private func later(_ source: ChangeSource, _ time: Duration, _ body: @escaping @Sendable (ChangeHook) -> Void) {
        let pause = graph.clock.pause(for: time)
        let former = state.withLock { state in
            defer { state.bells[source.resource]?.next = pause }
            return state.bells[source.resource]?.next
        }
        former?.cancel()
        pause.done(on: nil) { [weak self] in
            if let self, state.withLock({ !$0.isStopped }) { body(self) }
        }.catch { _ in }
    }

    private func end(of source: ChangeSource) -> Date { now().addingTimeInterval(source.longestSubscription.seconds) }

    private func send(_ method: String, _ path: String, _ body: Value?, _ source: ChangeSource) -> Promise<Value> {
        firstly {
            let address = try graph.baseURL.absoluteString + path
            guard let url = URL(string: address) else {
                throw GraphError(.invalidInput, message: "A subscription has an unusable id.")
            }
            let request = try graph.request(
                "subscription", .idempotent, method, at: url, permissions: source.permissions,
                headers: body == nil ? [:] : ["Content-Type": "application/json"],
                body: body.map { .memory($0.jsonData()) },
                example: HTTPResponse(status: 200, headers: [:], body: Data()))
            return graph.answer(to: request).map(on: nil) { answer -> Value in
                if case .data(let value) = answer { value } else { .null }
            }
        }
    }

    // MARK: What Graph sends

    /// The path at which notifications arrive.
    package var path: String { address.path() }

    /// Answers Graph: the handshake of a new subscription, or notifications.
    package func answer(_ request: HTTPRequest) -> HTTPResponse {
        guard request.method == "POST" else {
            return HTTPResponse(status: 405, headers: ["Allow": "POST"], body: Data())
        }
        if let token = Form.parse(request.url.query() ?? "")["validationToken"] {
            guard token.utf8.count <= Self.longestToken else {
                return HTTPResponse(status: 400, headers: [:], body: Data())
            }
            let headers: HTTPHeaders = [
                "Content-Type": "text/plain", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
            ]
            return HTTPResponse(status: 200, headers: headers, body: Data(token.utf8))
        }
        guard let notifications = (try? Value(json: request.body ?? Data()))?["value"]?.array else {
            return HTTPResponse(status: 400, headers: [:], body: Data())
        }
        for notification in notifications { take(notification) }
        return HTTPResponse(status: 202, headers: [:], body: Data())
    }

    private func take(_ notification: Value) {
        guard let secret = notification["clientState"]?.string else { return }
        // All are compared, and all of each, so that the time reveals nothing.
        let given = SHA256.hash(of: Data(secret.utf8))
        let bell = state.withLock { state in
            state.bells.values.reduce(Bell?.none) { found, bell in
                SHA256.hash(of: Data(bell.secret.utf8)).isEqualInConstantTime(to: given) ? bell : found
            }
        }
        guard let bell else { return }
        switch notification["lifecycleEvent"]?.string {
        case "reauthorizationRequired": renew(bell.source)
        case "subscriptionRemoved":
            state.withLock { $0.bells[bell.source.resource]?.id = nil }
            subscribe(to: bell.source)
        default: ring(bell.source.resource)
        }
    }
}

extension ChangeSource {
    /// The resource as subscriptions name it: those of calendars have no view.
    fileprivate var subscribedResource: String {
        let path = resource.prefix { $0 != "?" }.trimmingPrefix("/")
        return item == .event ? String(path.replacing("calendarView", with: "events")) : String(path)
    }

    fileprivate var subscribedKinds: String {
        switch item {
        case .message, .event: Kind.allCases.filter(kinds.contains).map(\.rawValue).joined(separator: ",")
        case .driveItem: "updated"
        // New ones arrive as updated.
        case .user, .group: "updated,deleted"
        }
    }

    /// A little less than Graph allows.
    fileprivate var longestSubscription: Duration {
        switch item {
        case .message, .event: .seconds(10_000 * 60)
        case .driveItem: .seconds(42_000 * 60)
        case .user, .group: .seconds(41_000 * 60)
        }
    }
}
