import Foundation
import Promises

/// The way to a service of the machine itself that gives tokens of its managed identity, over plain HTTP.
///
/// Such services are at a link-local address, which never leaves the machine's own network, or at a loopback one. This
/// is the one exception from the rule that plain HTTP goes to this machine only, and nothing else goes this way.
struct MetadataTransport: HTTPTransport {
    let clock: any PromiseClock

    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        let host = HostName(of: request.url)
        guard request.url.scheme == "http", host.isOfTheMachine else {
            return Promise(
                error: HTTPFailure(
                    phase: .notSent, reason: .cannotConnect, detail: "'\(host)' is no address of the machine itself"))
        }
        return LoopbackExchange.send(request, for: operation, maximumResponseSize: 1_000_000, clock: clock)
    }
}
