public import Promises

/// The plan of a dry run: it has no socket, records each request and answers with the operation's example.
public final class PlanningTransport: HTTPTransport {
    private let planned = Locked<[PlannedRequest]>([])

    /// Creates a plan without requests.
    public init() {}

    /// The requests in the order in which they came.
    public var requests: [PlannedRequest] { planned.withLock { $0 } }

    /// Records the request and answers at once with what the service would answer.
    public func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        planned.withLock { $0.append(PlannedRequest(request: request, operation: operation)) }
        return .value(operation.example)
    }
}
