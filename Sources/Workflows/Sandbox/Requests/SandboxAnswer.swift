struct SandboxAnswer {
    typealias Delivery = LoopbackConnection.Delivery

    var response: HTTPResponse
    var delivery: Delivery
    var delay: Duration = .zero
    /// The mailbox for which the request counts as concurrent until it is answered.
    var mailbox: String?
    /// The subscription that exists when its addresses have agreed.
    var handshake: SandboxSubscription?

    init(_ response: HTTPResponse, _ delivery: Delivery = .whole) {
        self.response = response
        // An answer without a body cannot be truncated.
        self.delivery = delivery == .truncated && response.body.isEmpty ? .dropped : delivery
    }

    var outcome: Sandbox.Exchange.Outcome {
        switch delivery {
        case .whole, .streamed, .deferred: .answered
        case .truncated: .truncated
        case .dropped, .reset, .silence: .dropped
        }
    }
}
