public import Promises
public import Workflows

/// Forwards requests and counts the unanswered ones.
public final class CountingTransport: HTTPTransport {
    private let inner: any HTTPTransport
    private let open = Locked(0)

    /// Creates a transport around another one.
    public init(_ inner: any HTTPTransport) { self.inner = inner }

    /// How many requests have no answer yet.
    public var openCount: Int { open.withLock { $0 } }

    /// Sends a request.
    public func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        open.withLock { $0 += 1 }
        let answer = inner.send(request, for: operation)
        return answer.ensure(on: nil) { self.open.withLock { $0 -= 1 } }
    }
}
