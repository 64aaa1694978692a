import Foundation
import Promises

extension IdentityPlatform {
    /// How often a request is sent again that got no answer, or the answer of a service in trouble.
    private static let retryCount = 3
    /// How long the service may ask to wait before that is told instead of done.
    private static let longestWait = Duration.seconds(60)
    /// How much of an answer is read: no answer of the protocol comes near.
    private static let largestAnswer = 1_000_000

    /// Asks an endpoint, and asks again where the service or the network is in trouble.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint's address.
    ///   - form: What is sent.
    ///   - step: What the request is for, in a word.
    ///   - mayRepeat: Whether it may be sent again when an answer got lost, as it may not with a code for one use.
    /// - Returns: The JSON of an answer that reports success; rejected with ``IdentityRefusal`` where the service says no,
    ///   and with ``CredentialError`` where it cannot be reached.
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

    /// Asks an endpoint once.
    func exchange(_ endpoint: URL, _ form: Form, for step: String) -> Promise<IdentityAnswer> {
        var request = HTTPRequest(
            "POST", endpoint,
            headers: ["Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"],
            body: form.data)
        request.headers["User-Agent"] = Graphflow.userAgent
        return send(request, for: step)
    }

    /// Sends a request once, and tells a refusal from an answer.
    func send(
        _ request: HTTPRequest, for step: String, over other: (any HTTPTransport)? = nil,
        timeout: Duration = .seconds(30)
    ) -> Promise<IdentityAnswer> {
        // What the service does is over with its answer: an abandoned attempt leaves nothing behind that matters.
        let operation = HTTPOperation(
            name: step, effect: .idempotent, timeout: timeout, example: HTTPResponse(status: 200))
        return (other ?? transport).send(request, for: operation).map(on: nil) { response in
            guard response.body.count <= Self.largestAnswer else { throw Self.badAnswer(response, "is too long") }
            let value = try? Value(json: response.body)
            guard (200..<300).contains(response.status) else {
                throw IdentityRefusal(response, value) ?? IdentityTrouble(response) as any Error
            }
            guard let value, value.object != nil else { throw Self.badAnswer(response, "is no JSON object") }
            return IdentityAnswer(members: value, date: response.headers.date)
        }
    }

    /// How long to wait before another attempt; nil where there should be none.
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

    /// The error in words, where it is about reaching the service.
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
        CredentialError(
            .badAnswer,
            "The answer of the sign-in service \(why) (\(HTTPStatus.words(response.status)), \(response.body.count) "
                + "bytes). Is there a proxy or a sign-in page on the way?")
    }
}

/// An answer of the sign-in service that reports success.
struct IdentityAnswer: Sendable {
    let members: Value
    /// When the service answered, by its own clock.
    let date: Date?
}

/// An answer of a service in trouble, without an error of the protocol.
struct IdentityTrouble: Error {
    let status: Int
    let retryAfter: Int?

    init(_ response: HTTPResponse) {
        status = response.status
        retryAfter = response.retryAfter
    }

    var isTransient: Bool { status == 408 || status == 429 || status >= 500 }
}

extension HTTPResponse {
    /// How many seconds the service asks to wait.
    var retryAfter: Int? {
        headers["Retry-After"].flatMap { RetryAfter.seconds($0, now: headers.date ?? Date()) }
    }
}
