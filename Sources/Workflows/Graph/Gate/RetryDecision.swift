/// What to do after an attempt: a pure function of its outcome, the effect and the number of attempts so far.
package enum RetryDecision: Sendable, Hashable {
    case settled
    case retry(after: Duration, reason: String)
    /// It failed for good: it certainly had no effect, or the caller may repeat it.
    case giveUp
    /// It may have had an effect that must not happen twice: a person has to check.
    case unknownOutcome

    package enum Outcome: Sendable, Hashable {
        case answered(Int, retryAfter: String? = nil)
        case failed(HTTPFailure)
    }

    /// Whether the answer to a repetition says that an earlier attempt, whose answer was lost, did its work: what it
    /// deletes is gone, and what it adds or creates is there.
    package static func findsWork(of method: String, _ status: Int?, _ message: String) -> Bool {
        switch (method, status) {
        case ("DELETE", 404), ("DELETE", 410), ("POST", 409): true
        // Graph has no code for a member that is one, only these words.
        case ("POST", 400): message.contains("added object references already exist")
        default: false
        }
    }

    package static let retries = 3
    /// The first wait's upper bound in seconds; each further one is twice as long.
    package static let firstWait = 1.0
    /// The upper bound of every wait in seconds, unless the service asks for more.
    package static let longestWait = 30.0

    /// After these, the request may have been done, so it is repeated only if its effect allows it.
    fileprivate static let ambiguous: Set<Int> = [408, 500, 502, 503, 504, 509]
    /// Server errors that imply that nothing was done.
    private static let refusals: Set<Int> = [501, 505, 507, 511]

    /// - Parameters:
    ///   - outcome: The outcome of the attempt.
    ///   - effect: Whether the request changes anything, and whether it may be repeated.
    ///   - attempt: The number of the attempt, from 1.
    ///   - jitter: A random number from 0 to 1, so many clients do not retry at once.
    ///   - now: The time with which a date in `Retry-After` is compared.
    ///   - remaining: How much longer the service may not answer; nil to count attempts.
    package init(
        after outcome: Outcome, effect: Idempotency, attempt: Int, jitter: Double, now: Date, remaining: Duration? = nil
    ) {
        switch outcome {
        case .answered(let status, let retryAfter):
            let asked = retryAfter.flatMap { RetryAfter.seconds($0, now: now) }
            let refused = Self.isRefused(status, asked: asked)
            switch (refused || Self.ambiguous.contains(status), refused || effect != .once) {
            case (true, true):
                self = Self.another(attempt, jitter: jitter, asked: asked, reason: Self.reason(status, asked))
            case (true, false): self = .unknownOutcome
            case (false, _):
                let unclear = effect == .once && (500...).contains(status) && !Self.refusals.contains(status)
                self = unclear ? .unknownOutcome : status < 300 ? .settled : .giveUp
            }
        case .failed(let failure):
            switch (failure.phase, effect, failure.reason) {
            case (.sent, .once, _): self = .unknownOutcome
            case (_, .once, _): self = .giveUp
            case (_, _, .cannotConnect), (_, _, .connectionLost), (_, _, .timedOut):
                self = Self.another(
                    attempt, jitter: jitter, asked: nil, reason: failure.reason.words, remaining: remaining)
            case (_, _, .untrustedCertificate), (_, _, .tooLarge), (_, _, .badResponse), (_, _, .cancelled),
                (_, _, .fileUnusable):
                self = .giveUp
            }
        }
    }

    /// Whether nothing was done: too many requests, a locked file, a service that asks to wait.
    fileprivate static func isRefused(_ status: Int, asked: Int?) -> Bool {
        [423, 429].contains(status) || (status == 503 && asked != nil)
    }

    private static func another(
        _ attempt: Int, jitter: Double, asked: Int?, reason: String, remaining: Duration? = nil
    ) -> RetryDecision {
        guard remaining != nil || attempt <= retries, (asked ?? 0) <= RetryAfter.longest else { return .giveUp }
        var bound = firstWait
        for _ in 1..<min(max(attempt, 1), 10) { bound = min(bound * 2, longestWait) }
        let backoff = Duration.milliseconds(Int((bound * min(max(jitter, 0), 1) * 1000).rounded()))
        if let remaining, backoff >= remaining { return .giveUp }
        return .retry(after: max(backoff, .seconds(asked ?? 0)), reason: reason)
    }

    static var longestWaits: Duration {
        .seconds((0..<retries).reduce(0) { $0 + min(firstWait * Double(1 << $1), longestWait) })
    }

    private static func reason(_ status: Int, _ asked: Int?) -> String {
        let reason = HTTPStatus.words(status)
        guard let asked else { return reason }
        return "\(reason), Retry-After \(asked) s"
    }
}

extension RetryDecision.Outcome {
    /// Whether the attempt may have been carried out, although no answer says so.
    func isUnclear(now: Date) -> Bool {
        switch self {
        case .answered(let status, let retryAfter):
            RetryDecision.ambiguous.contains(status)
                && !RetryDecision.isRefused(status, asked: retryAfter.flatMap { RetryAfter.seconds($0, now: now) })
        case .failed(let failure): failure.phase == .sent
        }
    }
}
