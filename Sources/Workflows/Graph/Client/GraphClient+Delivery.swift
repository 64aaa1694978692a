extension GraphClient {
    /// Sends a request when its service may be asked.
    /// - Parameters:
    ///   - begin: What has to be done before it is sent; nil for nothing.
    ///   - mayBeSent: Called before each attempt is sent.
    func deliver(
        _ request: HTTPRequest, for operation: HTTPOperation, service: GraphService, attempt: Int,
        after begin: @escaping @Sendable () -> Promise<Void>? = { nil },
        mayBeSent: @escaping @Sendable () -> Bool = { true }
    ) -> Promise<HTTPResponse> {
        let send = { @Sendable [transport] in
            let send = { @Sendable in
                mayBeSent()
                    ? transport.sendAny(request, for: operation) : Promise<HTTPResponse>(error: PromiseError.cancelled)
            }
            return begin()?.then(on: nil, send) ?? send()
        }
        guard let origin = Origin(request.url) else { return send() }
        let ticket = RequestGate.Ticket(
            key: RequestGate.Key(origin: origin, service: service),
            cost: service.cost(of: request.method, operation.name), attempt: attempt
        ) { delay, reason in
            tell(.held(delay: delay, reason: reason), of: operation.name)
        }
        return gateInUse.pass(ticket, clock: clock, now: now, send)
    }
}
