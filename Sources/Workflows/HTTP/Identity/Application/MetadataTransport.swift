import Essentials
import Promises

/// The plain-HTTP connection to a service of the machine that issues its managed identity's tokens.
///
/// Such services have a link-local address, which is never routed beyond the local network, or a loopback address.
/// Plain HTTP is otherwise limited to this machine; this is the only exception, and only these requests use it.
struct MetadataTransport: HTTPTransport {
    let clock: any PromiseClock

    func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        let host = HostName(of: request.url)
        guard request.url.scheme == "http", host.isOfTheMachine else {
            return Promise(
                error: HTTPFailure(
                    phase: .notSent, reason: .cannotConnect, detail: "'\(host)' is not an address of this machine"))
        }
        return PendingResponse.promise(request, for: operation, maximumSize: 1_000_000, clock: clock) {
            LoopbackConnections().send($0)
        }
    }
}
