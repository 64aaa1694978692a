import Foundation
import Promises
import Workflows

/// The network of this process, whose connections all questions share.
private let network = NetworkTransport(maximumResponseSize: 1_000_000)

/// Sends `{"url": …, "method": …, "effect": …, "headers": …, "body": …, "seconds": …}` and returns the response, or the
/// failure.
@Sendable func send(_ question: Value) throws -> Value {
    guard let url = (question["url"]?.string).flatMap({ URL(string: $0) }) else { throw URLError(.badURL) }
    let effect = Idempotency(rawValue: question["effect"]?.string ?? "") ?? .read
    var headers: HTTPHeaders = [:]
    for (name, value) in question["headers"]?.object ?? [:] { headers.append(name, value.string ?? "") }
    let request = HTTPRequest(
        question["method"]?.string ?? "GET", url, headers: headers,
        body: (question["body"]?.string).map { Data($0.utf8) })
    let operation = HTTPOperation(
        name: "probe", effect: effect, timeout: .seconds(question["seconds"]?.integer ?? 20),
        example: HTTPResponse(status: 200))
    do {
        // The main thread is where handlers run, so it cannot wait for a promise in the usual way.
        let (outcome, isDone) = (Locked<Result<HTTPResponse, any Error>?>(nil), DispatchSemaphore(value: 0))
        network.send(request, for: operation).pipe { result in
            outcome.withLock { $0 = result }
            isDone.signal()
        }
        isDone.wait()
        guard let response = try outcome.withLock({ $0 })?.get() else { return nil }
        return ["status": .integer(response.status), "body": .string(response.body.base64EncodedString())]
    } catch let failure as HTTPFailure {
        return [
            "phase": .string(failure.phase.rawValue), "reason": .string(failure.reason.rawValue),
            "detail": .string(failure.detail),
        ]
    }
}
