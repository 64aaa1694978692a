import Foundation
import Promises

extension PlanningTransport {
    /// Asks whether there is a file already that a request would replace: the plan's own question.
    func existing(
        at address: URL, for request: HTTPRequest, _ operation: HTTPOperation, by transport: any HTTPTransport
    ) -> Promise<PlannedRequest.Existing> {
        var question = HTTPRequest("GET", address, headers: ["Accept": "application/json"])
        for name in ["Authorization", "User-Agent"] { question.headers[name] = request.headers[name] }
        question.headers["client-request-id"] = request.headers["client-request-id"]
        guard question.isKnown else { return .value(.unknown("the path is known only when the workflow runs")) }
        var asking = operation
        (asking.effect, asking.target) = (.read, nil)
        return transport.send(question.identified, for: asking).map(on: nil) { answer in
            switch answer.status {
            case 200:
                let item = try? Value(json: answer.body)
                return .file(size: item?["size"]?.integer, changedAt: item?["lastModifiedDateTime"]?.string)
            case 404: return .nothing
            default: return .unknown("the answer had status \(answer.status)")
            }
        }.recover(on: nil) { error -> Promise<PlannedRequest.Existing> in
            guard let failure = error as? HTTPFailure, failure.reason != .cancelled else { throw error }
            return .value(.unknown(failure.reason.words))
        }
    }
}

extension HTTPRequest {
    /// The request with an id of its own in the place of the plan's symbol for one.
    var identified: HTTPRequest {
        guard headers["client-request-id"] != nil else { return self }
        var request = self
        request.headers["client-request-id"] = UUID().uuidString.lowercased()
        return request
    }

    /// Whether all of it is known before the run, so that it can be sent.
    var isKnown: Bool {
        let address = url.absoluteString
        return !address.contains("‹") && !address.contains("%E2%80%B9")
            && !headers.fields.contains { $0.value.contains("‹") && $0.name.lowercased() != "client-request-id" }
            && headers["Authorization"] != "Bearer planned" && body == nil
    }
}
