/// A network that simulates Microsoft by a sandbox, and sends other requests to their address.
package struct SandboxNetwork: FileTransport {
    private static let hosts = Set(
        Cloud.all.flatMap { [$0.graphURL.host() ?? "", $0.authorityHost] } + ["outlook.office.com"])

    package let sandbox: Sandbox
    package var others: (any HTTPTransport)?

    /// - Parameters:
    ///   - sandbox: Answers for Microsoft.
    ///   - others: Sends all other requests; nil to refuse them.
    package init(_ sandbox: Sandbox, others: (any HTTPTransport)?) {
        self.sandbox = sandbox
        self.others = others
    }

    package func sendsFile(of request: HTTPRequest) -> Bool {
        !plays(request) && (others as? any FileTransport)?.sendsFile(of: request) == true
    }

    package func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        if plays(request) {
            // A mock answers for Graph as well, before the sandbox does.
            if let answer = (others as? MockedServices)?.answer(to: request, isOfGraph: true) { return .value(answer) }
            return sandbox.transport.send(request, for: operation)
        }
        if let others { return others.send(request, for: operation) }
        return Promise(
            error: HTTPFailure(
                phase: .notSent, reason: .cannotConnect,
                detail: "the sandbox only answers for Microsoft, and '--sandbox-only' refuses all other services"))
    }

    private func plays(_ request: HTTPRequest) -> Bool {
        Self.hosts.contains(request.url.host()?.lowercased() ?? "")
            || request.url.absoluteString.hasPrefix("\(sandbox.withState { $0.origin })/")
    }
}
