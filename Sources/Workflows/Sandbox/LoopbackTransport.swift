/// The way out of a sandbox that is served: plain http to this machine.
///
/// It needs no name server, proxy or TLS library, which could lead elsewhere, and follows no redirects.
package struct LoopbackTransport: HTTPTransport {
    static let refusal = HTTPFailure(
        phase: .notSent, reason: .cannotConnect,
        detail: "a sandbox sends notifications only while it is served, and only to http://127.0.0.1 and the like")

    private let network: any HTTPTransport

    package init(over network: any HTTPTransport = NetworkTransport()) { self.network = network }

    package func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        guard request.url.scheme?.lowercased() == "http", Origin(request.url)?.isLoopback == true else {
            return Promise(error: Self.refusal)
        }
        return network.send(request, for: operation)
    }
}
