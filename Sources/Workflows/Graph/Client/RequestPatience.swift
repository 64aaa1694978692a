/// How long requests wait for a service that does not answer.
public struct RequestPatience: Sendable, Hashable {
    /// The time limit for an answer; nil for the usual one.
    ///
    /// A request with a large body has more.
    public var timeout: Duration?
    /// For how long Microsoft Graph may give no answer, whatever the number of attempts; nil for four attempts.
    public var silence: Duration?

    /// The usual time limit for an answer of Microsoft Graph.
    static let usualTimeout = Duration.seconds(100)

    /// Creates a patience; without parameters, the usual one.
    public init(timeout: Duration? = nil, silence: Duration? = nil) {
        self.timeout = timeout
        self.silence = silence
    }

    /// The time limit for the answer to a request with a body.
    /// - Parameters:
    ///   - size: The size of the body in bytes.
    ///   - remaining: How much longer the service may give no answer; nil without such a limit.
    func timeout(forBody size: Int, remaining: Duration? = nil) -> Duration {
        let limit = (timeout ?? Self.usualTimeout) + .seconds(size / 100_000)
        return remaining.map { min(limit, max($0, .milliseconds(1))) } ?? limit
    }

    /// How much longer a service may give no answer; nil without a limit.
    /// - Parameters:
    ///   - start: When it began to give none.
    ///   - now: The present, by the same clock.
    func remaining(since start: Duration, now: Duration) -> Duration? { silence.map { $0 - (now - start) } }
}
