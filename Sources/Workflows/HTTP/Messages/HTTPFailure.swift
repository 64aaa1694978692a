/// A request that got no complete answer.
public struct HTTPFailure: Error, Sendable, Hashable {
    /// How far the request had come, which decides whether it may have had its effect.
    public enum Phase: String, Sendable, Hashable {
        /// No byte of the request left: it had no effect.
        case notSent
        /// Bytes left and no complete answer came: it may have had its effect.
        case sent
    }

    /// What went wrong.
    public enum Reason: String, Sendable, Hashable {
        /// No connection could be made: refused, unknown host, no route.
        case cannotConnect
        /// The connection ended before the answer was complete.
        case connectionLost
        /// The deadline passed.
        case timedOut
        /// The server's certificate was not accepted.
        case untrustedCertificate
        /// The answer is larger than the client takes.
        case tooLarge
        /// The answer is not HTTP.
        case badResponse
        /// The request was cancelled from this side.
        case cancelled
    }

    /// How far the request had come.
    public var phase: Phase
    /// What went wrong.
    public var reason: Reason
    /// What the system said, in its words.
    public var detail: String

    /// Creates a failure.
    public init(phase: Phase, reason: Reason, detail: String) {
        self.phase = phase
        self.reason = reason
        self.detail = detail
    }
}
