/// A request in progress: how far it got, and its single outcome.
///
/// The carrier asks before it sends the first byte, so a request that was cancelled or timed out earlier certainly had
/// no effect.
final class PendingResponse: Sendable {
    private struct State {
        var isSent = false
        var isDone = false
        var deadline: ScheduledWork?
        var stop: (@Sendable () -> Void)?
    }

    let request: HTTPRequest
    let maximumSize: Int
    private let operation: HTTPOperation
    private let settle: @Sendable (Result<HTTPResponse, any Error>) -> Void
    private let state = Locked(State())

    private init(
        _ request: HTTPRequest, for operation: HTTPOperation, maximumSize: Int,
        settle: @escaping @Sendable (Result<HTTPResponse, any Error>) -> Void
    ) {
        self.request = request
        self.operation = operation
        self.maximumSize = maximumSize
        self.settle = settle
    }

    /// Starts a request; the promise is rejected with ``HTTPFailure`` if there is no complete response in time.
    static func promise(
        _ request: HTTPRequest, for operation: HTTPOperation, maximumSize: Int, clock: any PromiseClock,
        start: (PendingResponse) -> Void
    ) -> Promise<HTTPResponse> {
        Promise { resolver in
            let pending = PendingResponse(request, for: operation, maximumSize: maximumSize) {
                resolver.resolve($0)
            }
            let deadline = clock.schedule(after: operation.timeout) {
                pending.abort(.timedOut, "there was no response within \(operation.timeout)")
            }
            pending.state.withLock { $0.deadline = deadline }
            resolver.onCancel { pending.abort(.cancelled, "the request was cancelled") }
            start(pending)
        }
    }

    var effect: Idempotency { operation.effect }

    func limit(for head: HTTPResponse) -> Int {
        max(maximumSize, operation.storage(for: head)?.limit ?? 0)
    }

    /// Shows a part of the response to an operation that wants to see it.
    func arrived(_ response: @autoclosure () -> HTTPResponse?) {
        guard let see = operation.onArrival, let response = response() else { return }
        see(response)
    }

    var storageFolder: String? { operation.storage?.folder }

    var isDone: Bool { state.withLock { $0.isDone } }

    var isSent: Bool { state.withLock { $0.isSent } }

    /// Sets what an abort calls to stop the work; false if the request has already been aborted.
    func onAbort(_ stop: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if !state.isDone { state.stop = stop }
            return !state.isDone
        }
    }

    /// Records that bytes will now be sent; false if the request was aborted and none may be sent.
    func beginSending() -> Bool {
        state.withLock { state in
            if !state.isDone { state.isSent = true }
            return !state.isDone
        }
    }

    func abort(_ reason: HTTPFailure.Reason, _ detail: String) {
        finish({ .failure(HTTPFailure(phase: $0 ? .sent : .notSent, reason: reason, detail: detail)) })?()
    }

    func finish(_ result: Result<HTTPResponse, HTTPFailure>) {
        _ = finish { _ in result.mapError { $0 } }
    }

    private func finish(_ outcome: (Bool) -> Result<HTTPResponse, any Error>) -> (@Sendable () -> Void)? {
        let ended: State? = state.withLock { state in
            guard !state.isDone else { return nil }
            defer { state = State(isSent: state.isSent, isDone: true) }
            return state
        }
        guard let ended else { return nil }
        ended.deadline?.cancel()
        settle(outcome(ended.isSent))
        return ended.stop
    }
}

extension HTTPFailure {
    static let headTooLarge = HTTPFailure(
        phase: .sent, reason: .tooLarge, detail: "the response's header fields are larger than 256 KB")
}

extension PendingResponse {
    func tooLarge(_ limit: Int) -> HTTPFailure {
        HTTPFailure(phase: .sent, reason: .tooLarge, detail: "the response is larger than \(limit) bytes")
    }

    /// What is wrong with a response, whose body may have so many bytes.
    func failure(_ problem: HTTPMessageReader.Problem, _ limit: Int, isClosed: Bool = false) -> HTTPFailure {
        switch problem {
        case .malformed(let detail):
            HTTPFailure(phase: .sent, reason: isClosed ? .connectionLost : .badResponse, detail: detail)
        case .headTooLarge: .headTooLarge
        case .bodyTooLarge: tooLarge(limit)
        }
    }
}
