/// How long requests wait for a service that does not answer.
public struct RequestPatience: Sendable, Hashable {
    /// The time limit for an answer; nil for the default.
    ///
    /// Requests with a large body get more.
    public var timeout: Duration?
    /// How long Microsoft Graph may not answer, regardless of the attempts; nil for four attempts.
    public var silence: Duration?

    static let usualTimeout = Duration.seconds(100)

    /// Creates a patience; without parameters, the default one.
    public init(timeout: Duration? = nil, silence: Duration? = nil) {
        self.timeout = timeout
        self.silence = silence
    }

    /// The time limit for the answer to a request with a body.
    /// - Parameters:
    ///   - size: The size of the body in bytes.
    ///   - remaining: How much longer the service may not answer; nil for no limit.
    func timeout(forBody size: Int, remaining: Duration? = nil) -> Duration {
        let limit = (timeout ?? Self.usualTimeout) + .seconds(size / 100_000)
        return remaining.map { min(limit, max($0, .milliseconds(1))) } ?? limit
    }

    /// How much longer a service may not answer; nil for no limit.
    /// - Parameters:
    ///   - start: When it stopped answering.
    ///   - now: The current time, by the same clock.
    func remaining(since start: Duration, now: Duration) -> Duration? { silence.map { $0 - (now - start) } }
}
