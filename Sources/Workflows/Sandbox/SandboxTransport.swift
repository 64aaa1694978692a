/// The in-process transport to a ``Sandbox``: no socket, and no delay unless one is set.
public struct SandboxTransport: HTTPTransport {
    let sandbox: Sandbox

    /// Answers for every host; a dropped or truncated answer becomes the failure that a client would see.
    public func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        let answer = sandbox.answer(request)
        guard let subscription = answer.handshake else { return deliver(answer) }
        return sandbox.validate(subscription, answer).then(on: nil) { deliver($0) }
    }

    private func deliver(_ answer: SandboxAnswer) -> Promise<HTTPResponse> {
        let delay = answer.delay + (answer.delivery == .silence ? LoopbackConnection.silence : .zero)
        guard delay > .zero else {
            sandbox.finish(answer)
            switch Self.result(answer) {
            case .success(let response): return .value(response)
            case .failure(let failure): return Promise(error: failure)
            }
        }
        return Promise { [sandbox] resolver in
            // The answer or the cancellation ends the request, whichever comes first.
            let isUnderWay = Locked(true)
            let finish: @Sendable () -> Bool = {
                guard
                    isUnderWay.withLock({ isUnderWay in
                        defer { isUnderWay = false }
                        return isUnderWay
                    })
                else { return false }
                sandbox.finish(answer)
                return true
            }
            let timer = sandbox.clock.schedule(after: delay) {
                if finish() { Self.settle(resolver, answer) }
            }
            resolver.onCancel {
                timer.cancel()
                _ = finish()
            }
        }
    }

    private static func settle(_ resolver: Resolver<HTTPResponse>, _ answer: SandboxAnswer) {
        switch result(answer) {
        case .success(let response): resolver.fulfill(response)
        case .failure(let failure): resolver.reject(failure)
        }
    }

    private static func result(_ answer: SandboxAnswer) -> Result<HTTPResponse, HTTPFailure> {
        switch answer.delivery {
        case .whole, .streamed, .deferred: .success(answer.response)
        case .dropped: failure(.connectionLost, "the connection was closed before an answer arrived")
        case .truncated: failure(.connectionLost, "the connection was closed in the middle of the answer")
        case .reset: failure(.connectionLost, "the connection was reset")
        case .silence: failure(.timedOut, "no answer arrived")
        }
    }

    private static func failure(
        _ reason: HTTPFailure.Reason, _ detail: String
    ) -> Result<HTTPResponse, HTTPFailure> {
        .failure(HTTPFailure(phase: .sent, reason: reason, detail: detail))
    }
}
