/// What goes back to the client, how much of it, and when.
struct SandboxAnswer {
    typealias Delivery = LoopbackConnection.Delivery

    var response: HTTPResponse
    var delivery: Delivery
    /// How long it takes.
    var delay: Duration = .zero
    /// The mailbox at which the request counts as under way until it was answered.
    var mailbox: String?

    init(_ response: HTTPResponse, _ delivery: Delivery = .whole) {
        self.response = response
        // What has no body has no half of it.
        self.delivery = delivery == .truncated && response.body.isEmpty ? .dropped : delivery
    }

    var outcome: Sandbox.Exchange.Outcome {
        switch delivery {
        case .whole: .answered
        case .truncated: .truncated
        case .dropped, .reset, .silence: .dropped
        }
    }
}
