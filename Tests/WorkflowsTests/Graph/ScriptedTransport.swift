import Foundation
import Promises
import Workflows

/// A transport that answers what a test says, and remembers what it was asked.
final class ScriptedTransport: HTTPTransport {
    enum Reply: Sendable {
        case answer(HTTPResponse)
        case failure(HTTPFailure)

        static func status(_ status: Int, _ headers: HTTPHeaders = [:], _ body: String = "") -> Reply {
            .answer(HTTPResponse(status: status, headers: headers, body: Data(body.utf8)))
        }

        static func json(_ body: String, status: Int = 200) -> Reply {
            self.status(status, ["Content-Type": "application/json"], body)
        }

        static func redirect(_ status: Int, to location: String) -> Reply {
            self.status(status, ["Location": location])
        }

        static func lost(_ phase: HTTPFailure.Phase = .sent) -> Reply {
            .failure(HTTPFailure(phase: phase, reason: .connectionLost, detail: "reset by peer"))
        }
    }

    private let state: Locked<(replies: [Reply], requests: [HTTPRequest], operations: [HTTPOperation])>

    /// Answers these in order; whoever asks more often is told so by status 599.
    init(_ replies: Reply...) { state = Locked((replies, [], [])) }

    init(_ replies: [Reply]) { state = Locked((replies, [], [])) }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }
    var operations: [HTTPOperation] { state.withLock { $0.operations } }

    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        let reply: Reply = state.withLock { state in
            state.requests.append(request)
            state.operations.append(operation)
            return state.replies.isEmpty ? .status(599) : state.replies.removeFirst()
        }
        switch reply {
        case .answer(let response): return .value(response)
        case .failure(let failure): return Promise(error: failure)
        }
    }
}
