import Foundation
package import Promises
import MicrosoftGraph

/// A transport that answers as a test says, and records the requests.
package final class ScriptedTransport: HTTPTransport {
    package enum Reply: Sendable {
        case answer(HTTPResponse)
        case failure(HTTPFailure)

        package static func status(_ status: Int, _ headers: HTTPHeaders = [:], _ body: String = "") -> Reply {
            .answer(HTTPResponse(status: status, headers: headers, body: Data(body.utf8)))
        }

        package static func json(_ body: String, status: Int = 200) -> Reply {
            self.status(status, ["Content-Type": "application/json"], body)
        }

        package static func redirect(_ status: Int, to location: String) -> Reply {
            self.status(status, ["Location": location])
        }

        package static func lost(_ phase: HTTPFailure.Phase = .sent) -> Reply {
            .failure(HTTPFailure(phase: phase, reason: .connectionLost, detail: "reset by peer"))
        }
    }

    private let state: Locked<(replies: [Reply], requests: [HTTPRequest], operations: [HTTPOperation])>

    /// Answers these in order; further requests are answered 599.
    package init(_ replies: Reply...) { state = Locked((replies, [], [])) }

    package init(_ replies: [Reply]) { state = Locked((replies, [], [])) }

    package var requests: [HTTPRequest] { state.withLock { $0.requests } }
    package var operations: [HTTPOperation] { state.withLock { $0.operations } }

    package func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
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
