public import Promises
public import Workflows

/// A transport that records every request and forwards it.
public final class RecordingTransport: HTTPTransport {
    /// A request and its operation.
    public struct Record: Sendable {
        /// The request as it was sent.
        public var request: HTTPRequest
        /// Its operation.
        public var operation: HTTPOperation
    }

    private let inner: any HTTPTransport
    private let kept = Locked<[Record]>([])

    /// Creates a transport that forwards to another one.
    public init(_ inner: any HTTPTransport) { self.inner = inner }

    /// The requests, in order.
    public var records: [Record] { kept.withLock { $0 } }

    /// Records the request and forwards it.
    public func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        kept.withLock { $0.append(Record(request: request, operation: operation)) }
        return inner.send(request, for: operation)
    }
}
