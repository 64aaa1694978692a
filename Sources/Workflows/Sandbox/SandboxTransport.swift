public import Promises

/// The way to a ``Sandbox`` in process: no socket, no waiting.
public struct SandboxTransport: HTTPTransport {
    private let sandbox: Sandbox

    init(_ sandbox: Sandbox) {
        self.sandbox = sandbox
    }

    /// Answers at once, for every host; a dropped or truncated answer is the failure that a client would see.
    public func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        let answer = sandbox.answer(request)
        switch answer.outcome {
        case .answered: return .value(answer.response)
        case .dropped: return Promise(error: HTTPFailure.lost("the connection was closed before an answer came"))
        case .truncated:
            return Promise(error: HTTPFailure.lost("the connection was closed in the middle of the answer"))
        }
    }
}

extension HTTPFailure {
    fileprivate static func lost(_ detail: String) -> HTTPFailure {
        HTTPFailure(phase: .sent, reason: .connectionLost, detail: detail)
    }
}
