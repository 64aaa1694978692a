/// The plain-HTTP connection to a machine's service that issues its managed identity's tokens.
///
/// Such services have a link-local address, which is never routed beyond the local network, or a loopback address.
/// Plain HTTP is otherwise limited to this machine; only these requests are exempt.
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
