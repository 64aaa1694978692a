public import Promises

/// The plan of a dry run: it has no socket, records each request and answers with the operation's example.
public final class PlanningTransport: HTTPTransport {
    private let planned = Locked<[PlannedStep]>([])

    /// Creates a plan without requests.
    public init() {}

    /// The requests in the order in which they came.
    public var requests: [PlannedRequest] { steps.requests }

    /// What would have been done, with what is no request among the requests, in the order in which it came.
    var steps: [PlannedStep] { planned.withLock { $0 } }

    /// Records a program that would have been started.
    func record(_ process: PlannedProcess) { planned.withLock { $0.append(.process(process)) } }

    /// Records the request and answers at once with what the service would answer.
    public func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        let kept = PlannedRequest(request, for: operation)
        planned.withLock { $0.append(.request(kept)) }
        return .value(operation.example)
    }
}

extension [PlannedStep] {
    /// The requests among the steps.
    var requests: [PlannedRequest] {
        compactMap { step in
            guard case .request(let request) = step else { return nil }
            return request
        }
    }
}
