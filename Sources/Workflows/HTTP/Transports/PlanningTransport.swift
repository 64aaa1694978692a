public import Promises

/// The plan of a dry run: it has no socket, records each request and answers with the operation's example.
///
/// Given another transport, it lets through what only reads and is known in full, and answers with the real answer.
public final class PlanningTransport: HTTPTransport {
    private struct State {
        var requests: [PlannedRequest] = []
        /// How often each symbol was given out.
        var symbols: [String: Int] = [:]
        var note: (@Sendable (PlannedRequest) -> Void)?
    }

    private let state = Locked(State())
    /// What carries the requests that only read; nil for nothing.
    private let reads: (any HTTPTransport)?

    /// Creates a plan without requests.
    /// - Parameter transport: What carries the requests that only read; nil to send nothing.
    public init(reading transport: (any HTTPTransport)? = nil) { reads = transport }

    /// The requests in the order in which they came.
    public var requests: [PlannedRequest] { state.withLock { $0.requests } }

    /// Is told each request from now on.
    package func onRequest(_ note: @escaping @Sendable (PlannedRequest) -> Void) { state.withLock { $0.note = note } }

    /// A name for what only the service knows, which nothing else in the plan has: `upload`, then `upload#2`.
    package func symbol(_ name: String) -> String {
        state.withLock { state in
            let count = (state.symbols[name] ?? 0) + 1
            state.symbols[name] = count
            return count == 1 ? name : "\(name)#\(count)"
        }
    }

    /// Records the request and answers with what the service would answer.
    public func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        let planned = PlannedRequest(request, for: operation)
        guard let reads else {
            record(planned)
            return .value(operation.example)
        }
        if operation.effect == .read, ["GET", "HEAD"].contains(request.method), request.isKnown {
            return reads.send(request.identified, for: operation).map(on: nil) { response in
                var planned = planned
                planned.status = response.status
                self.record(planned)
                return response
            }
        }
        guard case .file(_, true, let address?) = operation.target else {
            record(planned)
            return .value(operation.example)
        }
        return existing(at: address, for: request, operation, by: reads).map(on: nil) { existing in
            var planned = planned
            planned.existing = existing
            self.record(planned)
            return operation.example
        }
    }

    private func record(_ planned: PlannedRequest) {
        let note = state.withLock { state in
            state.requests.append(planned)
            return state.note
        }
        note?(planned)
    }
}
