/// A request without a complete response.
public struct HTTPFailure: Error, Sendable, Hashable {
    /// How far the request got, which decides whether it may have taken effect.
    public enum Phase: String, Sendable, Hashable {
        /// No byte of the request was sent: it had no effect.
        case notSent
        /// Bytes were sent and no complete response was received: it may have taken effect.
        case sent
    }

    /// What went wrong.
    public enum Reason: String, Sendable, Hashable {
        /// No connection: refused, unknown host, no route.
        case cannotConnect
        /// The connection ended before the response was complete.
        case connectionLost
        /// The deadline passed.
        case timedOut
        /// The server's certificate is not trusted.
        case untrustedCertificate
        /// The response is larger than the client accepts.
        case tooLarge
        /// The response is not HTTP.
        case badResponse
        /// The request was cancelled by the client.
        case cancelled
        /// A file could not be read for the request's body, or written with the response's.
        case fileUnusable
    }

    /// How far the request got.
    public var phase: Phase
    /// What went wrong.
    public var reason: Reason
    /// The system's message.
    public var detail: String

    /// Creates a failure.
    public init(phase: Phase, reason: Reason, detail: String) {
        self.phase = phase
        self.reason = reason
        self.detail = detail
    }

    static func unreadable(_ file: FilePart, _ error: SystemError, _ phase: Phase) -> HTTPFailure {
        let name = file.path.map { " '\(PlainText.exact($0, limit: 200))'" } ?? ""
        return HTTPFailure(phase: phase, reason: .fileUnusable, detail: "the file\(name) cannot be read: \(error)")
    }
}
