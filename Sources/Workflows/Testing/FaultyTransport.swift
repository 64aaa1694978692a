/// A transport that fails as a test specifies.
public struct FaultyTransport: HTTPTransport {
    /// A fault of a request.
    public enum Fault: Sendable {
        /// The connection is refused, and nothing arrives.
        case refused
        /// The connection ends before the whole request has arrived. The request has no effect.
        case resetBeforeBody
        /// The connection ends after the request has arrived. The request has its effect but no answer.
        case resetAfterBody
        /// This answer arrives, and the request has no effect.
        case answer(HTTPResponse)
        /// The request has its effect, but this answer arrives instead.
        case answerAfterwards(HTTPResponse)
        /// The request has its effect, and half of the answer's body arrives as if it were complete.
        case truncated
        /// The request has its effect, and the answer is late.
        case silence(Duration)
    }

    private let inner: any HTTPTransport
    private let clock: any PromiseClock
    private let fault: @Sendable (HTTPRequest, HTTPOperation) -> Fault?

    /// Creates a transport.
    /// - Parameters:
    ///   - inner: The transport to the service.
    ///   - clock: The clock that measures silence.
    ///   - fault: Returns the fault of a request; nil for none.
    public init(
        _ inner: any HTTPTransport, clock: any PromiseClock,
        fault: @escaping @Sendable (HTTPRequest, HTTPOperation) -> Fault?
    ) {
        self.inner = inner
        self.clock = clock
        self.fault = fault
    }

    /// Sends the request, unless it has a fault.
    public func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        guard let fault = fault(request, operation) else { return inner.send(request, for: operation) }
        switch fault {
        case .refused: return Self.failed(.notSent, .cannotConnect, "connection refused")
        case .resetBeforeBody: return Self.failed(.sent, .connectionLost, "reset by peer")
        case .resetAfterBody:
            return inner.send(request, for: operation).then(on: nil) { _ in
                Self.failed(.sent, .connectionLost, "reset by peer")
            }
        case .answer(let response): return .value(response)
        case .answerAfterwards(let response):
            return inner.send(request, for: operation).map(on: nil) { _ in response }
        case .truncated:
            return inner.send(request, for: operation).map(on: nil) { response in
                var response = response
                response.headers["Content-Length"] = nil
                response.body = Data(response.body.prefix(response.body.count / 2))
                return response
            }
        case .silence(let duration):
            let isTooLong = duration > operation.timeout
            return inner.send(request, for: operation).then(on: nil) { response in
                after(min(duration, operation.timeout), clock: clock).then(on: nil) { () -> Promise<HTTPResponse> in
                    isTooLong ? Self.failed(.sent, .timedOut, "silence") : .value(response)
                }
            }
        }
    }

    private static func failed(
        _ phase: HTTPFailure.Phase, _ reason: HTTPFailure.Reason, _ detail: String
    ) -> Promise<HTTPResponse> {
        Promise(error: HTTPFailure(phase: phase, reason: reason, detail: detail))
    }
}
