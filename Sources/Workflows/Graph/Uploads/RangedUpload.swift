/// Uploads a file to an upload session range by range, and resumes it after interruptions.
///
/// Only one range at a time is in memory. After a failure the session is asked for its state. If the session is gone,
/// the upload restarts; if the upload fails for good, the session is cancelled.
struct RangedUpload<Result: Sendable>: Sendable {
    private static var restarts: Int { 2 }

    var client: GraphClient
    let create: GraphRequest
    let content: ByteSource
    /// In bytes.
    let rangeSize: Int
    let effect: Idempotency
    /// OneDrive and Outlook answer differently.
    let kind: RangedUploadKind
    let example: HTTPResponse
    let finish: @Sendable (HTTPResponse) throws(GraphError) -> Result
    /// Looks for a file whose session, created at this service time, is gone after its last range; nil if it does not
    /// exist.
    let lookUp: @Sendable (Date?) -> Promise<Result?>

    fileprivate struct Place: Sendable {
        var session: UploadSession
        var offset: Int
        var answeredAt: Duration
        var attempt = 1
        var restarts: Int
        /// Whether the last range was sent and its outcome is unknown.
        var mayBeDone = false
        /// The effects, from when the last range is sent.
        var begun: [Effect] = []
    }

    func perform() -> Promise<Result> { begin(restarts: 0) }

    /// Plans an upload of unknown size: the request for the session, and one that represents all ranges.
    func plan() -> Promise<Void> {
        client.exchange {
            create
        } _: { response, effect throws(GraphError) in
            try Answer.json(response, effect: effect) { answer throws(GraphError) in
                try UploadSession(answer, madeAt: nil, base: client.baseURL)
            }
        }.then(on: nil) { session -> Promise<Void> in
            var upload = self
            upload.client = client.when("for each \(rangeSize.bytesInWords) of it")
            let range = client.plannedToken("range", .text, from: .string(session.url.absoluteString))
            return upload.exchange(
                "PUT", Place(session: session, offset: 0, answeredAt: client.clock.now, restarts: 0),
                ["Content-Type": "application/octet-stream", "Content-Range": "bytes \(range)"], content,
                example: example
            ).asVoid()
        }
    }

    private func begin(restarts: Int, _ begun: [Effect] = []) -> Promise<Result> {
        var create = create
        // The session alone stores nothing.
        create.consequences = []
        return client.exchange { [create] in
            create
        } _: { response, effect throws(GraphError) in
            try Answer.json(response, effect: effect) { answer throws(GraphError) in
                try UploadSession(
                    answer, madeAt: response.headers.date, base: client.baseURL)
            }
        }.then(on: nil) { session -> Promise<Result> in
            send(
                Place(
                    session: session, offset: min(session.start, content.size), answeredAt: client.clock.now,
                    restarts: restarts, begun: begun))
        }
    }

    private func send(_ place: Place) -> Promise<Result> {
        let range = place.offset..<min(place.offset + rangeSize, content.size)
        let isLast = range.upperBound == content.size
        if isLast, place.begun.isEmpty, !create.consequences.isEmpty {
            return client.begin(create.consequences).then(on: nil) { [place] begun in
                var place = place
                place.begun = begun
                return send(place)
            }
        }
        let body: ByteSource
        do throws(GraphError) {
            guard !range.isEmpty else {
                throw GraphError(.badAnswer, message: "The upload session has all bytes but does not finish.")
            }
            body = try content.part(range).inRequest()
        } catch {
            return fail(error, place)
        }
        let headers: HTTPHeaders = [
            "Content-Type": "application/octet-stream",
            "Content-Range": "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.size)",
        ]
        let more = HTTPResponse.json(202, ["nextExpectedRanges": [.string("\(range.upperBound)-")]])
        return exchange("PUT", place, headers, body, example: isLast ? example : more).then(on: nil) {
            outcome -> Promise<Result> in
            guard case .success(let answer) = outcome else { return retry(outcome, place, isLast: isLast) }
            switch answer.status {
            case 200..<300 where kind.isDone(answer.status, isLast: isLast): return finished(answer, place)
            case 200, 202:
                let next = (try? Value(json: answer.body)).flatMap(UploadSession.nextByte)
                guard let next, next > place.offset, next < content.size else { return ask(place.next()) }
                client.tell(.uploaded(bytes: next, total: content.size), of: create.operation)
                return send(
                    Place(
                        session: place.session, offset: next, answeredAt: client.clock.now, restarts: place.restarts,
                        begun: place.begun))
            case 416: return ask(place.next())
            case 401, 404, 410: return beginAgain(place, isLast: isLast, answer)
            default: return retry(outcome, place, isLast: isLast)
            }
        }
    }

    private func finished(_ answer: HTTPResponse, _ place: Place) -> Promise<Result> {
        do throws(GraphError) {
            let result = try finish(answer)
            tellDone(place, answer)
            return .value(result)
        } catch {
            // The upload was done, and only its answer is unusable.
            var place = place
            place.mayBeDone = true
            return look(place, else: complete(error, answer))
        }
    }

    private func ask(_ place: Place) -> Promise<Result> {
        guard client.patience.silence != nil || place.attempt <= RetryDecision.retries + 1 else {
            let message = "The upload session makes no progress: it has \(place.offset) of \(content.size) bytes."
            return fail(GraphError(.badAnswer, message: message), place)
        }
        let example = HTTPResponse.json(200, ["nextExpectedRanges": [.string("\(place.offset)-")]])
        return exchange("GET", place, ["Accept": "application/json"], nil, example: example).then(on: nil) {
            outcome -> Promise<Result> in
            guard case .success(let answer) = outcome else { return retry(outcome, place, isLast: false) }
            switch answer.status {
            case 200..<300:
                guard let next = (try? Value(json: answer.body)).flatMap(UploadSession.nextByte), next < content.size
                else { return beginAgain(place, isLast: true, answer) }
                var place = place
                place.answeredAt = client.clock.now
                if next > place.offset {
                    place.attempt = 1
                    client.tell(.uploaded(bytes: next, total: content.size), of: create.operation)
                }
                (place.offset, place.mayBeDone) = (next, false)
                return send(place)
            case 401, 404, 410: return beginAgain(place, isLast: false, answer)
            default: return retry(outcome, place, isLast: false)
            }
        }
    }

    private func retry(_ outcome: Swift.Result<HTTPResponse, HTTPFailure>, _ place: Place, isLast: Bool) -> Promise<
        Result
    > {
        var place = place
        var now = client.now()
        let judged: RetryDecision.Outcome
        let error: GraphError
        switch outcome {
        case .success(let answer):
            now = answer.headers.date ?? now
            judged = .answered(answer.status, retryAfter: answer.headers["Retry-After"])
            place.answeredAt = client.clock.now
            error = complete(GraphError(answer, attempts: place.attempt), answer)
            place.mayBeDone = place.mayBeDone || (isLast && answer.status >= 500)
        case .failure(let failure):
            judged = .failed(failure)
            error = complete(GraphError(failure: failure, attempts: place.attempt))
            place.mayBeDone = place.mayBeDone || (isLast && failure.phase == .sent)
        }
        let decision = RetryDecision(
            after: judged, effect: .idempotent, attempt: place.attempt, jitter: client.randomness(), now: now,
            remaining: client.patience.remaining(since: place.answeredAt, now: client.clock.now))
        guard case .retry(let delay, let reason) = decision else {
            return fail(place.mayBeDone && effect == .once ? unknown(error) : error, place)
        }
        client.tell(.retrying(attempt: place.attempt + 1, reason: reason, delay: delay), of: create.operation)
        let next = place.next()
        return after(delay, clock: client.clock).then(on: nil) { ask(next) }
    }

    /// Handles a missing session: the file exists, or the upload restarts.
    private func beginAgain(_ place: Place, isLast: Bool, _ answer: HTTPResponse) -> Promise<Result> {
        let error = complete(GraphError(answer, attempts: place.attempt), answer)
        return place.mayBeDone || isLast ? look(place, else: error) : restart(place, error)
    }

    /// Looks for the file, which may exist although no answer said so.
    private func look(_ place: Place, else error: GraphError) -> Promise<Result> {
        lookUp(place.session.madeAt).then(on: nil) { found -> Promise<Result> in
            if let found {
                tellDone(place, nil)
                return .value(found)
            }
            guard effect == .once, place.mayBeDone else { return restart(place, error) }
            tell(.unknown, place)
            throw unknown(error)
        }
    }

    private func tell(_ state: Effect.State, _ place: Place) {
        for effect in place.begun { client.tell(.effect(effect, state), of: create.operation) }
    }

    private func tellDone(_ place: Place, _ answer: HTTPResponse?) {
        client.tell(.uploaded(bytes: content.size, total: content.size), of: create.operation)
        for effect in place.begun.isEmpty ? create.consequences : place.begun {
            let done = answer.map { effect.completed(by: $0, to: create.method, client.path(of: create)) }
            client.tell(.effect(done ?? effect, .done), of: create.operation)
        }
    }

    private func unknown(_ error: GraphError) -> GraphError {
        var error = error
        error.code = .unknownOutcome
        error.message = GraphError.unknownOutcomePrefix + error.message
        error.hint = create.check
        return error
    }

    private func restart(_ place: Place, _ error: GraphError) -> Promise<Result> {
        guard place.restarts < Self.restarts else {
            tell(place.mayBeDone ? .unknown : .refused, place)
            return Promise(error: error)
        }
        client.tell(
            .retrying(attempt: place.restarts + 2, reason: "the upload session is gone", delay: .zero),
            of: create.operation)
        return begin(restarts: place.restarts + 1, place.begun)
    }

    /// Cancels the session, and fails even if that fails.
    private func fail(_ error: GraphError, _ failed: Place) -> Promise<Result> {
        tell(failed.mayBeDone ? .unknown : .refused, failed)
        let place = Place(session: failed.session, offset: 0, answeredAt: client.clock.now, restarts: 0)
        let error = error.operation == nil ? complete(error) : error
        return exchange("DELETE", place, [:], nil, example: HTTPResponse(status: 204)).then(on: nil) { _ in
            Promise(error: error)
        }
    }

    /// Sends one request to the session, without the token and this program's ids.
    private func exchange(
        _ method: String, _ place: Place, _ headers: HTTPHeaders, _ body: ByteSource?, example: HTTPResponse
    ) -> Promise<Swift.Result<HTTPResponse, HTTPFailure>> {
        var headers = headers
        headers["User-Agent"] = Graphflow.userAgent
        if place.attempt > 1 { headers["Retry-Attempt"] = String(place.attempt - 1) }
        var request = HTTPRequest(method, place.session.url, headers: headers)
        request.setBody(body)
        var operation = HTTPOperation(
            name: create.operation, task: client.task, effect: .idempotent,
            timeout: client.patience.timeout(
                forBody: body?.size ?? 0,
                remaining: client.patience.remaining(since: place.answeredAt, now: client.clock.now)), example: example)
        operation.occurrence = client.occurrence
        operation.condition = client.condition
        operation.attempts = RetryDecision.retries + 1
        operation.longestWait = RetryDecision.longestWaits
        operation.service = create.service.description
        return client.deliver(request, for: operation, service: create.service, attempt: place.attempt)
            .map(on: nil) { .success($0) }
            .recover(on: nil) { error -> Promise<Swift.Result<HTTPResponse, HTTPFailure>> in
                guard let failure = error as? HTTPFailure, failure.reason != .cancelled else { throw error }
                return .value(.failure(failure))
            }
    }

    private func complete(_ error: GraphError, _ answer: HTTPResponse? = nil) -> GraphError {
        var error = error
        error.operation = create.operation
        error.task = client.task
        if let answer { error.note(ServiceError(answer)) }
        return error
    }
}

enum RangedUploadKind: Sendable {
    /// A file of OneDrive: 202 asks for more, 200 and 201 return the item.
    case file
    /// An attachment of a message: 200 asks for more, 201 is the end.
    case attachment

    func isDone(_ status: Int, isLast: Bool) -> Bool {
        status == 201 || (self == .file && status == 200 && isLast)
    }
}

extension RangedUpload.Place {
    fileprivate func next() -> Self {
        var place = self
        place.attempt += 1
        return place
    }
}
