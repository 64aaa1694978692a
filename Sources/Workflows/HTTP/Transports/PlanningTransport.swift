import Foundation
public import Promises

/// The plan of a dry run: it sends nothing, records each request and responds with the operation's example.
///
/// With another transport, requests that only read and are fully known are sent and get the real response.
public final class PlanningTransport: HTTPTransport {
    private struct State {
        var requests: [PlannedRequest] = []
        /// How often each name was used.
        var symbols: [String: Int] = [:]
        var note: (@Sendable (PlannedRequest) -> Void)?
    }

    private let state = Locked(State())
    /// Sends the requests that only read; nil to send none.
    private let reads: (any HTTPTransport)?

    /// Creates an empty plan.
    /// - Parameter transport: Sends the requests that only read; nil to send none.
    public init(reading transport: (any HTTPTransport)? = nil) { reads = transport }

    /// The requests in order.
    public var requests: [PlannedRequest] { state.withLock { $0.requests } }

    /// Calls the observer for each new request.
    package func onRequest(_ note: @escaping @Sendable (PlannedRequest) -> Void) { state.withLock { $0.note = note } }

    /// A name for an unknown that is unique in the plan: `upload`, then `upload#2`.
    package func symbol(_ name: String) -> String {
        state.withLock { state in
            let count = (state.symbols[name] ?? 0) + 1
            state.symbols[name] = count
            return count == 1 ? name : "\(name)#\(count)"
        }
    }

    /// Records the request and responds with the operation's example.
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

extension HTTPRequest {
    /// The request with a new id in place of the plan's unknown.
    var identified: HTTPRequest {
        guard headers["client-request-id"] != nil else { return self }
        var request = self
        request.headers["client-request-id"] = UUID().uuidString.lowercased()
        return request
    }

    /// Whether it is fully known before the run, so that it can be sent.
    var isKnown: Bool {
        let address = url.absoluteString
        return !address.contains("‹") && !address.contains("%E2%80%B9")
            && !headers.fields.contains { $0.value.contains("‹") && $0.name.lowercased() != "client-request-id" }
            && headers["Authorization"] != "Bearer planned" && body == nil
    }
}
