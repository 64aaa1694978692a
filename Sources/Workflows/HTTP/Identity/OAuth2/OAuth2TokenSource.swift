/// Gets the tokens of one policy: one request at a time for all callers, and none while a token is valid.
package final class OAuth2TokenSource: Sendable {
    private struct Current {
        var granted: GrantedToken
        var end: Duration?
    }

    private struct State {
        var current: Current?
        var endpoint: URL?
        var waiters: [Int: Resolver<Secret>] = [:]
        var nextWaiter = 0
        var work: Promise<Void>?
        var generation = 0
    }

    private let settings: OAuth2Settings
    private let transport: any HTTPTransport
    private let clock: any PromiseClock
    private let now: @Sendable () -> Date
    private let task: JSONPointer?
    private let state = Locked(State())

    package init(
        _ settings: OAuth2Settings, transport: any HTTPTransport, clock: any PromiseClock,
        now: @escaping @Sendable () -> Date, task: JSONPointer?
    ) {
        self.settings = settings
        self.transport = transport
        self.clock = clock
        self.now = now
        self.task = task
    }

    /// The current token if it is valid and not the refused one, else a new one.
    package func token(besides refused: Secret? = nil) -> Promise<Secret> {
        let time = clock.now
        let good = state.withLock { state -> Secret? in
            guard let current = state.current, current.end.map({ time < $0 }) ?? true else { return nil }
            return current.granted.token == refused ? nil : current.granted.token
        }
        if let good { return .value(good) }
        return Promise { resolver in
            let (number, generation) = state.withLock { state -> (Int, Int?) in
                state.nextWaiter += 1
                state.waiters[state.nextWaiter] = resolver
                guard state.waiters.count == 1 else { return (state.nextWaiter, nil) }
                state.generation += 1
                return (state.nextWaiter, state.generation)
            }
            resolver.onCancel { self.leave(number) }
            if let generation { begin(generation) }
        }
    }

    /// A caller stops waiting; when the last one leaves, the request is cancelled.
    private func leave(_ waiter: Int) {
        let work = state.withLock { state -> Promise<Void>? in
            state.waiters[waiter] = nil
            guard state.waiters.isEmpty else { return nil }
            state.generation += 1
            defer { state.work = nil }
            return state.work
        }
        work?.cancel()
    }

    private func begin(_ generation: Int) {
        let work = request().done { granted in
            self.end(generation, .success(granted))
        }
        work.catch(policy: .allErrors) { error in self.end(generation, .failure(error)) }
        let isAbandoned = state.withLock { state in
            guard state.generation == generation else { return true }
            if !state.waiters.isEmpty { state.work = work }
            return false
        }
        if isAbandoned { work.cancel() }
    }

    private func end(_ generation: Int, _ result: Result<GrantedToken, any Error>) {
        let time = clock.now
        let waiters = state.withLock { state -> [Resolver<Secret>] in
            guard state.generation == generation else { return [] }
            if case .success(let granted) = result {
                state.current = Current(granted: granted, end: granted.lifetime.map { time + $0 - Self.margin(of: $0) })
            } else {
                state.current = nil
            }
            defer {
                state.waiters = [:]
                state.work = nil
                state.generation += 1
            }
            return state.waiters.sorted { $0.key < $1.key }.map(\.value)
        }
        for waiter in waiters { waiter.resolve(result.map(\.token)) }
    }

    private static func margin(of lifetime: Duration) -> Duration { min(.seconds(60), lifetime / 10) }

    private func request() -> Promise<GrantedToken> {
        endpoint().then { endpoint -> Promise<GrantedToken> in
            let renewal = self.state.withLock { $0.current?.granted.refreshToken }
            return self.ask(endpoint, with: renewal).recover { error -> Promise<GrantedToken> in
                // A refused renewal does not matter if the grant itself can be repeated.
                guard renewal != nil, (error as? AuthenticationFailure)?.kind == .authentication else { throw error }
                return self.ask(endpoint, with: nil)
            }
        }
    }

    private func ask(_ endpoint: URL, with renewal: Secret?) -> Promise<GrantedToken> {
        var request = TokenRequest(settings: settings, endpoint: endpoint, now: now(), id: DigestAuthorization.nonce())
        request.refreshToken = renewal
        let example: Value = ["access_token": .string("planned"), "token_type": "Bearer"]
        return send(request.request, "token", .once, example: example).map { response in
            try GrantedToken(response, from: endpoint, issuers: self.settings.issuers)
        }
    }

    private func endpoint() -> Promise<URL> {
        do {
            let known = try settings.tokenEndpoint() ?? state.withLock { $0.endpoint }
            if let known { return .value(try Self.check(known)) }
        } catch {
            return Promise(error: error)
        }
        guard let address = settings.discoveryAddress else {
            return Promise(error: AuthenticationFailure.configuration("'authority' is not an address"))
        }
        let planned = settings.authority.absoluteString + "/%E2%80%B9token_endpoint%E2%80%BA"
        let request = HTTPRequest("GET", address, headers: ["Accept": "application/json"])
        return send(request, "discovery", .read, example: ["token_endpoint": .string(planned)]).map { response in
            guard response.status == 200, response.body.count < 1_000_000,
                let text = (try? Value(json: response.body))?["token_endpoint"]?.string,
                let endpoint = URL(string: text)
            else {
                throw AuthenticationFailure.unreachable(
                    "\(PlainText.line(address.absoluteString, limit: 300)) returned no 'token_endpoint' "
                        + "(\(response.status))")
            }
            let checked = try Self.check(endpoint)
            self.state.withLock { $0.endpoint = checked }
            return checked
        }
    }

    private static func check(_ endpoint: URL) throws -> URL {
        guard let origin = Origin(endpoint), origin.isPrivate else {
            throw AuthenticationFailure.invalidEndpoint(endpoint.absoluteString)
        }
        return endpoint
    }

    private func send(
        _ request: HTTPRequest, _ name: String, _ effect: Idempotency, example: Value
    ) -> Promise<HTTPResponse> {
        let operation = HTTPOperation(
            name: name, task: task, effect: effect, timeout: .seconds(30),
            example: HTTPResponse(
                status: 200, headers: ["Content-Type": "application/json"], body: example.jsonData()))
        return transport.send(request, for: operation).recover { error -> Promise<HTTPResponse> in
            guard let failure = error as? HTTPFailure, failure.reason != .cancelled else { throw error }
            throw AuthenticationFailure.unreachable(
                "\(PlainText.line(request.url.absoluteString, limit: 300)) cannot be reached: \(failure.detail)")
        }
    }
}
