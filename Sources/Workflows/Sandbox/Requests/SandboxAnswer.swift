/// What goes back to the client, and how much of it.
struct SandboxAnswer {
    var response: HTTPResponse
    var outcome: Sandbox.Exchange.Outcome

    init(_ response: HTTPResponse, _ outcome: Sandbox.Exchange.Outcome = .answered) {
        self.response = response
        // What has no body has no half of it.
        self.outcome = outcome == .truncated && response.body.isEmpty ? .dropped : outcome
    }
}
