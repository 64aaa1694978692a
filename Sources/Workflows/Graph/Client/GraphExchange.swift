struct GraphExchange: Sendable {
    let request: GraphRequest
    let permissions: Permissions
    private let client: GraphClient
    let http: HTTPRequest
    private let id: String
    private let state: Locked<State>

    private struct State {
        var wasSent = false
        var isUnclear: Bool
        var isGivenUp = false
        var begun: [Effect]?
        /// What was there before the first attempt; nil if that was not looked for.
        var former: FormerObject?
        /// What was there after the last one; null if that was not looked for.
        var stored = Value.null
    }

    /// Sends no further attempt; returns whether one was sent, so that the request may have arrived.
    func giveUp() -> Bool {
        state.withLock { state in
            state.isGivenUp = true
            return state.wasSent
        }
    }
    /// Whether an attempt, of this process or of an earlier one, may have been carried out although no answer says so.
    var isUnclear: Bool { state.withLock(\.isUnclear) }

    func note(former: FormerObject?) { state.withLock { $0.former = former } }

    func note(stored: Value) { state.withLock { $0.stored = stored } }

    enum Reply: Sendable {
        case answer(HTTPResponse, to: AccessToken?)
        case failure(HTTPFailure)
    }

    init(_ request: GraphRequest, client: GraphClient, url base: URL, id: String) throws(GraphError) {
        let query = request.path.query.isEmpty ? "" : "?\(request.path.query)"
        guard let url = request.address ?? URL(string: "\(base.absoluteString)/\(request.path)\(query)") else {
            throw GraphError(.invalidInput, message: "The request has no valid address.")
        }
        var headers = request.headers
        if headers["Accept"] == nil { headers["Accept"] = "*/*" }
        headers["User-Agent"] = Graphflow.userAgent
        headers["client-request-id"] = id
        self.request = request
        permissions = client.permissions(of: request)
        self.client = client
        self.id = id
        state = Locked(State(isUnclear: client.begunBefore != nil && request.effect == .idempotent))
        var http = HTTPRequest(request.method, url, headers: headers)
        http.setBody(request.body)
        self.http = http
    }

    var consequences: [Effect] {
        let effects = request.consequences.of(request.effect)
        guard client.keepsFormer(of: request) else { return effects }
        return effects.map { effect in
            var effect = effect
            effect.isFormerKept = true
            return effect
        }
    }

    /// Whether what becomes of its effects is recorded.
    var isAccounted: Bool { client.plan == nil && !request.consequences.isEmpty }

    /// Its effects, with their identities once they have begun.
    var effects: [Effect] { state.withLock(\.begun) ?? consequences }

    /// Whether the member that it adds was there before.
    var wasMember: Bool {
        request.consequences.first?.member?.added == true && state.withLock(\.former).map { !$0.isNothing } ?? false
    }

    /// An effect as it happened.
    func completed(_ effect: Effect, by response: HTTPResponse, at path: String?) -> Effect {
        let (former, stored) = state.withLock { ($0.former, $0.stored) }
        var done = effect.completed(by: response, to: request.method, path)
        done.objectChange?.note(stored: stored)
        guard case .link = done.details, done.object?.path == nil else { return done }
        // A link that a lost attempt made is answered as one that was there before.
        guard let former, let id = done.object?.id else {
            if isUnclear { done.object = nil }
            return done
        }
        guard former.object["value"]?.array?.contains(.string(id)) != true else { return done }
        var made = response
        made.status = 201
        return effect.completed(by: made, to: request.method, path)
    }

    /// Records the effects before the first attempt is sent.
    private func begin() -> Promise<Void>? {
        guard isAccounted, state.withLock({ $0.begun == nil }) else { return nil }
        return client.begin(consequences).map(on: nil) { begun in state.withLock { $0.begun = begun } }
    }

    /// Makes an attempt, and further ones if needed.
    ///
    /// - Parameters:
    ///   - attempt: The attempt's number, from 1.
    ///   - mayRefresh: Whether a refused token may be refreshed.
    ///   - start: When the service stopped answering; nil for now.
    /// - Returns: A successful answer; rejected with ``GraphError``.
    func perform(
        _ attempt: Int = 1, mayRefresh: Bool = true, silentSince start: Duration? = nil
    ) -> Promise<HTTPResponse> {
        let start = start ?? client.clock.now
        return token().then(on: nil) { token -> Promise<Reply> in
            if let error = missingUser(token) { throw error }
            return send(attempt, with: token, silentSince: start)
        }.then(on: nil) { reply -> Promise<HTTPResponse> in
            guard case .answer(let answer, let token?) = reply, answer.status == 401, mayRefresh else {
                return try settle(reply, attempt, mayRefresh: mayRefresh, silentSince: start)
            }
            let start = client.clock.now
            return refresh(token, refusedBy: answer).then(on: nil) { token in
                send(attempt, with: token, silentSince: start)
            }.then(on: nil) { reply in
                try settle(reply, attempt, mayRefresh: false, silentSince: start)
            }
        }
    }

    func complete(_ error: GraphError, _ response: HTTPResponse? = nil) -> GraphError {
        var error = error
        error.operation = request.operation
        error.task = client.task
        error.clientRequestID = id
        guard let response else { return error }
        error.note(ServiceError(response))
        return error
    }

    private var scopes: [String] {
        let (asked, needed) = (client.askedPermissions, permissions.delegated)
        return !needed.isEmpty && asked.cover(needed) ? asked : needed
    }

    private func token() -> Promise<AccessToken> {
        client.credential.token(for: scopes).recover(on: nil) { error -> Promise<AccessToken> in
            throw GraphError(error).map { complete($0) } ?? error
        }
    }

    /// Why an application's token cannot be used: only a user's requests have a `/me`.
    private func missingUser(_ token: AccessToken) -> GraphError? {
        guard token.isOfApplication == true, let path = client.path(of: request), GraphClient.needsUser(path: path)
        else { return nil }
        return complete(
            GraphError(
                .invalidInput, message: "'/me' needs a user, but the token belongs to a program without one.",
                hint: "Name the user: 'with: { user: NAME }', or '/users/NAME' instead of '/me'."))
    }

    private func refresh(_ token: AccessToken, refusedBy answer: HTTPResponse) -> Promise<AccessToken> {
        let refusal = TokenRefusal(of: token, challenges: answer.headers.values(of: "WWW-Authenticate"))
        return client.credential.token(for: scopes, after: refusal).recover(on: nil) { error -> Promise<AccessToken> in
            guard let credentialError = error as? CredentialError else { throw error }
            var refused = self.error(for: answer)
            refused.hint = credentialError.description
            throw refused
        }
    }

    private func send(_ attempt: Int, with token: AccessToken, silentSince start: Duration) -> Promise<Reply> {
        var request = http
        if attempt > 1 { request.headers["Retry-Attempt"] = String(attempt - 1) }
        do {
            try token.authorize(&request.headers)
        } catch {
            return Promise(error: complete(GraphError(.signInRequired, message: error.message)))
        }
        let timeout = client.patience.timeout(
            forBody: self.request.body?.size ?? 0,
            remaining: client.patience.remaining(since: start, now: client.clock.now))
        return follow(request, with: token, hop: 0, attempt: attempt, timeout: timeout).recover(on: nil) {
            error -> Promise<Reply> in
            guard let failure = error as? HTTPFailure else { throw error }
            return .value(.failure(failure))
        }
    }

    private func follow(
        _ request: HTTPRequest, with token: AccessToken, hop: Int, attempt: Int, timeout: Duration
    ) -> Promise<Reply> {
        var operation = HTTPOperation(
            name: self.request.operation, task: client.task, effect: self.request.effect,
            scopes: permissions.delegated, timeout: timeout,
            maximumResponseSize: self.request.maximumResponseSize, example: self.request.example)
        operation.applicationScopes = permissions.application
        operation.hasUnknownNeeds = permissions == Permissions()
        operation.occurrence = client.occurrence
        operation.condition = client.condition
        operation.attempts = RetryDecision.retries + 1
        operation.longestWait = RetryDecision.longestWaits
        operation.service = self.request.service.description
        operation.consequences = consequences
        operation.replaced = self.request.replaced
        if client.plan?.isReading == true { operation.named = client.placesOfNames(of: self.request) }
        operation.storage = self.request.storage
        return client.deliver(request, for: operation, service: self.request.service, attempt: attempt, after: begin) {
            state.withLock { state in
                state.wasSent = state.wasSent || !state.isGivenUp
                return !state.isGivenUp
            }
        }.then(on: nil) {
            response -> Promise<Reply> in
            switch Redirect(response, to: request, hop: hop) {
            case .follow(let next) where self.request.effect == .once && next.url == request.url:
                // The same request to the same address would be a repetition.
                throw complete(refusal(of: response, "to the address of the request itself"), response)
            case .follow(let next):
                return follow(next, with: token, hop: hop + 1, attempt: max(attempt, 2), timeout: timeout)
            case .refuse(let why): throw complete(refusal(of: response, why), response)
            case .none:
                try checkLength(of: response)
                return .value(.answer(response, to: request.headers["Authorization"] == nil ? nil : token))
            }
        }
    }

    /// A success whose body ended early counts as a lost connection, unless the request must not be repeated.
    private func checkLength(of response: HTTPResponse) throws(HTTPFailure) {
        guard request.effect != .once, (200..<300).contains(response.status),
            response.headers["Content-Encoding"] == nil,
            let length = response.headers["Content-Length"].flatMap(Int.init),
            response.bodySize < length
        else { return }
        throw HTTPFailure(
            phase: .sent, reason: .connectionLost,
            detail: "the answer ended after \(response.bodySize) of \(length) bytes")
    }

    private func settle(
        _ reply: Reply, _ attempt: Int, mayRefresh: Bool, silentSince start: Duration
    ) throws -> Promise<HTTPResponse> {
        let outcome: RetryDecision.Outcome
        var now = client.now()
        var silence: Duration?
        switch reply {
        case .failure(let failure):
            outcome = .failed(failure)
            silence = start
        case .answer(let response, _):
            outcome = .answered(response.status, retryAfter: response.headers["Retry-After"])
            // A date in Retry-After follows the service's clock, as does the answer's Date.
            now = response.headers.date ?? now
        }
        if outcome.isUnclear(now: now) { state.withLock { $0.isUnclear = true } }
        let decision = RetryDecision(
            after: outcome, effect: request.effect, attempt: attempt, jitter: client.randomness(), now: now,
            remaining: client.patience.remaining(since: start, now: client.clock.now))
        switch (decision, reply) {
        case (.settled, .answer(let response, let token)):
            if isPageInBetween(response, to: token), let page = response.webPage { throw pageError(page, response) }
            return .value(response)
        case (.retry(let delay, let reason), _):
            client.tell(.retrying(attempt: attempt + 1, reason: reason, delay: delay), of: request.operation)
            return after(delay, clock: client.clock).then(on: nil) { [silence] in
                perform(attempt + 1, mayRefresh: mayRefresh, silentSince: silence)
            }
        case (.unknownOutcome, _): throw unknown(reply)
        case (_, .answer(let response, let token)):
            let error = error(for: response, token, attempts: attempt)
            guard isUnclear, RetryDecision.findsWork(of: request.method, error.status, error.message) else {
                throw error
            }
            return try lostAnswer(or: error)
        case (_, .failure(let failure)): throw complete(GraphError(failure: failure, attempts: attempt))
        }
    }

    /// The answer that was lost, after a repetition found the work of that attempt; fails if it may be another's.
    private func lostAnswer(or error: GraphError) throws -> Promise<HTTPResponse> {
        guard let lookup = request.lookup else {
            guard error.status != 409 else { throw error }
            guard !wasMember else {
                state.withLock { $0.isUnclear = false }
                throw error
            }
            return .value(HTTPResponse(status: 204))
        }
        let exchange = try GraphExchange(lookup.request(), client: client, url: client.baseURL, id: client.ids())
        return exchange.perform().map(on: nil) { response in
            guard let found = try? Value(json: response.body), lookup.accepts(found) else {
                // It was there before.
                state.withLock { $0.isUnclear = false }
                throw error
            }
            var answer = response
            answer.status = 201
            return answer
        }
    }
}
