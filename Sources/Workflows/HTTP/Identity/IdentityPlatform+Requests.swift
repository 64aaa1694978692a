extension IdentityPlatform {
    private static let retryCount = 3
    /// The longest wait the service can ask for; longer ones are reported as errors.
    private static let longestWait = Duration.seconds(60)
    private static let largestAnswer = 1_000_000

    /// Sends a request to an endpoint, with retries after temporary failures of the service or the network.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint's URL.
    ///   - form: The request's body.
    ///   - step: The purpose of the request, in one word.
    ///   - mayRepeat: Whether it may be repeated after a lost response, which is not possible with a one-time code.
    /// - Returns: The JSON of a successful response; rejected with ``IdentityRefusal`` if the service refuses, and with
    ///   ``CredentialError`` if it cannot be reached.
    func post(_ endpoint: URL, _ form: Form, for step: String, mayRepeat: Bool = true) -> Promise<IdentityAnswer> {
        @Sendable func attempt(_ retry: Int) -> Promise<IdentityAnswer> {
            exchange(endpoint, form, for: step).recover(on: nil) { error -> Promise<IdentityAnswer> in
                guard retry < Self.retryCount, let delay = Self.delay(after: error, retry, mayRepeat: mayRepeat) else {
                    throw self.unreachable(error)
                }
                return after(delay, clock: clock).then(on: nil) { attempt(retry + 1) }
            }
        }
        return attempt(0)
    }

    func exchange(_ endpoint: URL, _ form: Form, for step: String) -> Promise<IdentityAnswer> {
        var request = HTTPRequest(
            "POST", endpoint,
            headers: ["Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"],
            body: form.data)
        request.headers["User-Agent"] = Graphflow.userAgent
        return send(request, for: step)
    }

    func send(
        _ request: HTTPRequest, for step: String, over other: (any HTTPTransport)? = nil,
        timeout: Duration = .seconds(30)
    ) -> Promise<IdentityAnswer> {
        // An abandoned request has no lasting effect.
        let operation = HTTPOperation(
            name: step, effect: .idempotent, timeout: timeout, example: HTTPResponse(status: 200))
        return (other ?? transport).send(request, for: operation).map(on: nil) { response in
            guard response.body.count <= Self.largestAnswer else { throw Self.badAnswer(response, "is too long") }
            let value = try? Value(json: response.body)
            guard (200..<300).contains(response.status) else {
                throw IdentityRefusal(response, value) ?? IdentityTrouble(response) as any Error
            }
            guard let value, value.object != nil else { throw Self.badAnswer(response, "is not a JSON object") }
            return IdentityAnswer(members: value, date: response.headers.date)
        }
    }

    static func delay(after error: any Error, _ retry: Int, mayRepeat: Bool) -> Duration? {
        let backoff = Duration.seconds(1 << min(retry, 6))
        switch error {
        case let failure as HTTPFailure:
            guard failure.phase == .notSent || mayRepeat, failure.reason != .cancelled,
                failure.reason != .untrustedCertificate
            else { return nil }
            return backoff
        case let trouble as IdentityTrouble:
            guard trouble.isTransient else { return nil }
            return wait(asked: trouble.retryAfter, backoff)
        case let refusal as IdentityRefusal: return refusal.isTransient ? wait(asked: refusal.retryAfter, backoff) : nil
        default: return nil
        }
    }

    private static func wait(asked: Int?, _ backoff: Duration) -> Duration? {
        guard let asked else { return backoff }
        return .seconds(asked) <= longestWait ? max(.seconds(asked), backoff) : nil
    }

    func unreachable(_ error: any Error) -> any Error {
        let host = PlainText.line(authority.environment, limit: 200)
        switch error {
        case let failure as HTTPFailure where failure.reason != .cancelled:
            return CredentialError(
                .serviceUnavailable,
                PlainText.sentence(
                    "The sign-in service \(host) cannot be reached: \(PlainText.line(failure.detail, limit: 300))"))
        case let trouble as IdentityTrouble:
            let wait = trouble.retryAfter.map { " and asks to wait \($0) s" } ?? ""
            return CredentialError(
                trouble.isTransient ? .serviceUnavailable : .badAnswer,
                "The sign-in service \(host) answers \(HTTPStatus.words(trouble.status))\(wait). Try again later.")
        case let refusal as IdentityRefusal where refusal.isTransient: return refusal.credentialError()
        default: return error
        }
    }

    private static func badAnswer(_ response: HTTPResponse, _ why: String) -> CredentialError {
        let page = response.webPage.map { ": \($0)" } ?? ""
        return CredentialError(
            .badAnswer,
            "The response of the sign-in service \(why) (\(HTTPStatus.words(response.status)), \(response.body.count) "
                + "bytes)\(page). Is there a proxy or a sign-in page in between?")
    }
}

struct IdentityAnswer: Sendable {
    let members: Value
    /// The response's time by the service's clock.
    let date: Date?
}

/// A failing service's response that is no protocol error.
struct IdentityTrouble: Error {
    let status: Int
    let retryAfter: Int?

    init(_ response: HTTPResponse) {
        status = response.status
        retryAfter = response.retryAfter(now: Date())
    }

    var isTransient: Bool { status == 408 || status == 429 || status >= 500 }
}
