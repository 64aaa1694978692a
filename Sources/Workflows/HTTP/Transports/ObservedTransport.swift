/// A transport whose requests are noticed: when they begin and, if wanted, when they end.
package struct ObservedTransport: FileTransport {
    private let transport: any HTTPTransport
    private let onBegin: @Sendable (HTTPRequest) -> (@Sendable () -> Void)?

    /// - Parameter onBegin: Called with each request; returns what is called at its end.
    package init(
        _ transport: any HTTPTransport, onBegin: @escaping @Sendable (HTTPRequest) -> (@Sendable () -> Void)?
    ) {
        (self.transport, self.onBegin) = (transport, onBegin)
    }

    package func send(_ request: HTTPRequest, for operation: HTTPOperation) -> Promise<HTTPResponse> {
        let onEnd = onBegin(request)
        let response = transport.send(request, for: operation)
        return onEnd.map { onEnd in response.ensure(on: nil) { onEnd() } } ?? response
    }

    package func sendsFile(of request: HTTPRequest) -> Bool {
        (transport as? any FileTransport)?.sendsFile(of: request) ?? false
    }
}
