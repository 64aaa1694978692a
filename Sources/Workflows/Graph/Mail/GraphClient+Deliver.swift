import Foundation
import Promises

extension GraphClient {
    /// Sends one request once, when it is its turn.
    func deliver(
        _ request: HTTPRequest, for operation: HTTPOperation, service: GraphService, attempt: Int
    ) -> Promise<HTTPResponse> {
        guard let origin = Origin(request.url) else { return transport.send(request, for: operation) }
        let ticket = RequestGate.Ticket(
            key: RequestGate.Key(origin: origin, service: service),
            cost: service.cost(of: request.method, operation.name), attempt: attempt
        ) { delay, reason in
            tell(.held(delay: delay, reason: reason), of: operation.name)
        }
        let transport = transport
        return gateInUse.pass(ticket, clock: clock, now: now) { transport.send(request, for: operation) }
    }
}
