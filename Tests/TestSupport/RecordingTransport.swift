public import Promises
public import Workflows

/// A transport that keeps every request on its way to another one.
public final class RecordingTransport: HTTPTransport {
    /// A request, and what it was for.
    public struct Record: Sendable {
        /// The request as it was sent.
        public var request: HTTPRequest
        /// What it was for.
        public var operation: HTTPOperation
    }

    private let inner: any HTTPTransport
    private let kept = Locked<[Record]>([])

    /// Creates a transport that hands over to another one.
    public init(_ inner: any HTTPTransport) { self.inner = inner }

    /// The requests in the order in which they came.
    public var records: [Record] { kept.withLock { $0 } }

    /// Keeps the request and hands it over.
    public func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        kept.withLock { $0.append(Record(request: request, operation: operation)) }
        return inner.send(request, for: operation)
    }
}
